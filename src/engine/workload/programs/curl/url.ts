export interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** Whether the port stands in the URL. */
  readonly explicitPort: boolean;
  readonly path: string;
  readonly text: string;
}

export type ParsedUrl =
  | { readonly ok: true; readonly url: Url }
  | { readonly ok: false; readonly code: 1 | 3; readonly message: string };

const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, telnet: 23 };

/** URL as curl reads it (lib/urlapi.c): scheme guessed as http, empty host and bad ports refused. */
export function parseUrl(text: string, modern: boolean): ParsedUrl {
  const bad = (why: string): ParsedUrl => ({
    ok: false,
    code: 3,
    message: modern ? `URL rejected: ${why}` : 'URL using bad/illegal format or missing URL',
  });
  const m = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(.*)$/.exec(text);
  const scheme = (m?.[1] ?? 'http').toLowerCase();
  const rest = m?.[2] ?? text;
  if (PORTS[scheme] === undefined) {
    const word = modern
      ? `Protocol "${scheme}" not supported`
      : `Protocol "${scheme}" not supported or disabled in libcurl`;
    return { ok: false, code: 1, message: word };
  }
  const cut = rest.search(/[/?#]/);
  const authority = (cut < 0 ? rest : rest.slice(0, cut)).replace(/^.*@/, '');
  const after = cut < 0 ? '' : rest.slice(cut).replace(/#.*$/, '');
  const colon = authority.lastIndexOf(':');
  const host = colon < 0 ? authority : authority.slice(0, colon);
  const portText = colon < 0 ? undefined : authority.slice(colon + 1);
  if (host === '') return bad('No host part in the URL');
  if (/[\s\\^`{|}<>"]/.test(host)) return bad('Malformed input to a URL function');
  let port = PORTS[scheme] as number;
  if (portText !== undefined && portText !== '') {
    if (!/^\d+$/.test(portText) || Number(portText) > 65535) {
      return bad('Port number was not a decimal number between 0 and 65535');
    }
    port = Number(portText);
  }
  const path = after === '' || after.startsWith('?') ? `/${after}` : after;
  const shown = `${scheme}://${authority}${path}`;
  return { ok: true, url: { scheme, host, port, explicitPort: portText !== undefined, path, text: shown } };
}

/** Location header relative to the URL it came from. */
export function redirectTarget(from: Url, location: string): string {
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(location)) return location;
  const authority = from.explicitPort ? `${from.host}:${from.port}` : from.host;
  if (location.startsWith('//')) return `${from.scheme}:${location}`;
  if (location.startsWith('/')) return `${from.scheme}://${authority}${location}`;
  const dir = from.path.replace(/\?.*$/, '').replace(/[^/]*$/, '');
  return `${from.scheme}://${authority}${dir}${location}`;
}
