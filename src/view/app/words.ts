import { useEffect, useState } from 'react';
import { addLanguage, htmlLang } from '../../explain';
import { usePage } from '../model';
import { addStageWords } from '../path/words';
import { type Catalogue, en } from '../ui/messages';
import { toast } from '../ui/toasts';

/** Everything that the page says in Chinese: its own words, the stage's, and the sentences about events. */
async function loadChinese(): Promise<Catalogue> {
  const [page, stage, sentences] = await Promise.all([
    import('../ui/messages/zh'),
    import('../path/words-zh'),
    import('../../explain/zh'),
  ]);
  addStageWords('zh', stage.zh);
  addLanguage('zh', sentences.zh);
  return page.zh;
}

/** The words of the reader's language; until they have loaded the page speaks English. */
export function useCatalogue(): Catalogue {
  const lang = usePage((p) => p.lang);
  const [zh, setZh] = useState<Catalogue>();
  useEffect(() => {
    if (lang !== 'zh' || zh !== undefined) return;
    loadChinese().then(setZh, () => toast({ tone: 'bad', title: en.errChinese, text: en.errChineseWhy }));
  }, [lang, zh]);
  return lang === 'zh' && zh !== undefined ? zh : en;
}

/** Puts theme and language on the document. */
export function useDocumentLook(text: Catalogue): void {
  const theme = usePage((p) => p.theme);
  const lang = usePage((p) => p.lang);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === 'auto') delete root.dataset.theme;
    else root.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.documentElement.lang = htmlLang(text === en ? 'en' : lang);
  }, [lang, text]);
}
