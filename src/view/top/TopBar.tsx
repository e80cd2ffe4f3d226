import { lazy, type ReactNode, Suspense, useState } from 'react';
import { go } from '../app/route';
import { page, stepNumber, stepTotal, usePage } from '../model';
import { useMedia } from '../ui/hooks';
import { Icon, Logo } from '../ui/Icon';
import { useText } from '../ui/messages';
import { toast } from '../ui/toasts';
import { profileOf } from './profile';
import './top.css';

const ProfileDialog = lazy(() => import('./ProfileDialog'));
const ShareDialog = lazy(() => import('./ShareDialog'));

export function Brand() {
  const t = useText();
  return (
    <a
      className="brand"
      href="./"
      onClick={(e) => {
        if (e.metaKey || e.ctrlKey || e.shiftKey) return;
        e.preventDefault();
        go({ view: 'landing' });
      }}
    >
      <Logo />
      {t.product}
    </a>
  );
}

export function LangSwitch() {
  const t = useText();
  const lang = usePage((p) => p.lang);
  return (
    <fieldset className="seg" aria-label={t.language}>
      <button
        type="button"
        aria-pressed={lang === 'en'}
        lang="en"
        aria-label="English"
        onClick={() => page().setLang('en')}
      >
        EN
      </button>
      <button
        type="button"
        aria-pressed={lang === 'zh'}
        lang="zh-CN"
        aria-label="中文"
        onClick={() => page().setLang('zh')}
      >
        中
      </button>
    </fieldset>
  );
}

export function useDark(): boolean {
  const theme = usePage((p) => p.theme);
  const system = useMedia('(prefers-color-scheme: dark)');
  return theme === 'auto' ? system : theme === 'dark';
}

export function ThemeSwitch() {
  const t = useText();
  const dark = useDark();
  const label = dark ? t.toLight : t.toDark;
  return (
    <button
      type="button"
      className="btn quiet small icon"
      aria-label={label}
      title={label}
      onClick={() => page().setTheme(dark ? 'light' : 'dark')}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </button>
  );
}

export function ProfilePills() {
  const t = useText();
  const recipe = usePage((p) => p.recipe);
  const [open, setOpen] = useState(false);
  if (recipe === undefined) return null;
  const p = profileOf(recipe);
  const pill = (name: string, value: string): ReactNode => (
    <span className="chip">
      {name} <span className="mono">{value}</span>
    </span>
  );
  return (
    <>
      <button type="button" className="pills" aria-haspopup="dialog" title={t.profile} onClick={() => setOpen(true)}>
        <span className="vh">{t.profile}: </span>
        {pill('Kubernetes', p.kubernetes)}
        {pill(t.pillKernel, p.kernel)}
        {pill(t.pillMode, p.mode)}
        {pill('iptables', `${p.iptables} ${p.backend}`)}
        {pill('CNI', p.cniShort)}
        {pill(t.pillSeed, p.seed)}
      </button>
      {open && (
        <Suspense>
          <ProfileDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Copies a link to this step; where the clipboard is closed the link is shown instead. */
export function ShareButton() {
  const t = useText();
  const ready = usePage((p) => p.status === 'ready');
  const [url, setUrl] = useState<string>();
  if (!ready) return null;
  const share = async (): Promise<void> => {
    const link = await page().shareUrl();
    const p = page();
    try {
      await navigator.clipboard.writeText(link);
      toast({ tone: 'ok', title: t.linkCopied, text: t.linkOpensAt(stepNumber(p), stepTotal(p)) });
    } catch {
      setUrl(link);
    }
  };
  return (
    <>
      <button type="button" className="btn quiet small" onClick={() => void share()}>
        <Icon name="share" />
        {t.share}
      </button>
      {url !== undefined && (
        <Suspense>
          <ShareDialog url={url} close={() => setUrl(undefined)} />
        </Suspense>
      )}
    </>
  );
}

export function TopBar({ title, tools = false }: { title?: string; tools?: boolean }) {
  return (
    <header className="top" data-region="top">
      <Brand />
      {title !== undefined && (
        <>
          <span className="sep" />
          <span className="title clip">{title}</span>
        </>
      )}
      <span className="grow" />
      {tools && (
        <>
          <ProfilePills />
          <span className="sep" />
          <ShareButton />
        </>
      )}
      <ThemeSwitch />
      <LangSwitch />
    </header>
  );
}
