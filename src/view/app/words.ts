import { useEffect, useState } from 'react';
import { htmlLang } from '../../explain';
import { usePage } from '../model';
import { type Catalogue, en } from '../ui/messages';
import { toast } from '../ui/toasts';

/** The words of the reader's language; until they have loaded the page speaks English. */
export function useCatalogue(): Catalogue {
  const lang = usePage((p) => p.lang);
  const [zh, setZh] = useState<Catalogue>();
  useEffect(() => {
    if (lang !== 'zh' || zh !== undefined) return;
    import('../ui/messages/zh').then(
      (m) => setZh(m.zh),
      () => toast({ tone: 'bad', title: en.errChinese, text: en.errChineseWhy }),
    );
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
