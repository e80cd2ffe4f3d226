import { useStore } from '../../store/store';
import { keepSetting, readSetting } from '../ui/hooks';

/** Language and theme: from the address, else as kept here, else as the browser wishes; kept when they change. */
export function restoreSettings(): void {
  const query = new URLSearchParams(window.location.search);
  const lang = query.get('lang') ?? readSetting('lang');
  const theme = query.get('theme') ?? readSetting('theme');
  const wished = (navigator.languages[0] ?? '').toLowerCase().startsWith('zh') ? 'zh' : 'en';
  const { setLang, setTheme } = useStore.getState();
  setLang(lang === 'zh' || lang === 'en' ? lang : wished);
  if (theme === 'light' || theme === 'dark') setTheme(theme);
  useStore.subscribe((now, before) => {
    if (now.lang !== before.lang) keepSetting('lang', now.lang);
    if (now.theme !== before.theme) keepSetting('theme', now.theme);
  });
}
