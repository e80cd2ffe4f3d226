/** What the address of an embed may ask for; unknown values fall back and are named. */
export interface EmbedParams {
  readonly scenario: string | undefined;
  /** Step as the page counts them, or undefined for the first. */
  readonly step: number | undefined;
  readonly lang: 'en' | 'zh' | undefined;
  readonly theme: 'light' | 'dark' | 'auto';
  /** Whole picture, or only the line of hooks. */
  readonly view: 'stage' | 'rules';
  readonly autoplay: boolean;
  /** Nothing is loaded before a press. */
  readonly click: boolean;
  readonly speed: number;
  readonly hide: ReadonlySet<string>;
  /** The world itself, in the fragment; it never reaches a server. */
  readonly fragment: string | undefined;
  readonly unknown: readonly { readonly name: string; readonly value: string }[];
}

const HIDEABLE = new Set(['toolbar', 'caption', 'terminal', 'timeline']);

export function embedParams(location: { readonly search: string; readonly hash: string }): EmbedParams {
  const q = new URLSearchParams(location.search);
  const unknown: { name: string; value: string }[] = [];
  const one = <T extends string>(name: string, allowed: readonly T[]): T | undefined => {
    const value = q.get(name);
    if (value === null || value === '') return undefined;
    if ((allowed as readonly string[]).includes(value)) return value as T;
    unknown.push({ name, value });
    return undefined;
  };
  const number = (name: string, min: number, max: number): number | undefined => {
    const value = q.get(name);
    if (value === null || value === '') return undefined;
    const n = Number(value);
    if (Number.isFinite(n) && n >= min && n <= max) return n;
    unknown.push({ name, value });
    return undefined;
  };
  const scenario = q.get('scenario') ?? undefined;
  const hide = new Set((q.get('hide') ?? '').split(',').filter((h) => h !== ''));
  for (const h of hide) if (!HIDEABLE.has(h)) unknown.push({ name: 'hide', value: h });
  const step = number('step', 0, 1_000_000);
  return {
    scenario: scenario !== undefined && /^[a-z0-9.-]{1,100}$/.test(scenario) ? scenario : undefined,
    step: step === undefined ? undefined : Math.floor(step),
    lang: one('lang', ['en', 'zh']),
    theme: one('theme', ['light', 'dark', 'auto']) ?? 'auto',
    view: one('view', ['stage', 'rules']) ?? 'rules',
    autoplay: one('autoplay', ['0', '1']) === '1',
    click: one('ctl', ['0', '1']) === '1',
    speed: number('speed', 0.1, 10) ?? 1,
    hide,
    fragment: location.hash.startsWith('#s=') ? location.hash : undefined,
    unknown,
  };
}
