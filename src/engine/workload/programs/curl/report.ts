/** What one transfer left, for --write-out and the progress meter. */
export interface TransferInfo {
  url: string;
  code: number;
  contentType: string;
  startUs: number;
  nameUs: number;
  connectUs: number;
  preUs: number;
  firstUs: number;
  totalUs: number;
  sizeDownload: number;
  sizeUpload: number;
  sizeHeader: number;
  remote: { ip: string; port: number } | undefined;
  local: { ip: string; port: number } | undefined;
  connects: number;
  redirects: number;
  redirectUrl: string;
  method: string;
  exit: number;
  error: string;
}

export const seconds = (us: number): string =>
  `${Math.floor(us / 1_000_000)}.${String(us % 1_000_000).padStart(6, '0')}`;

const rate = (bytes: number, us: number): number => (us <= 0 ? 0 : Math.floor((bytes * 1_000_000) / us));

/** Variables of --write-out (curl(1)). */
const VARIABLES: Readonly<Record<string, (t: TransferInfo) => string>> = {
  content_type: (t) => t.contentType,
  errormsg: (t) => t.error,
  exitcode: (t) => String(t.exit),
  http_code: (t) => String(t.code).padStart(3, '0'),
  response_code: (t) => String(t.code).padStart(3, '0'),
  http_connect: () => '000',
  http_version: (t) => (t.code === 0 ? '0' : '1.1'),
  local_ip: (t) => t.local?.ip ?? '',
  local_port: (t) => String(t.local?.port ?? 0),
  method: (t) => t.method,
  num_connects: (t) => String(t.connects),
  num_redirects: (t) => String(t.redirects),
  redirect_url: (t) => t.redirectUrl,
  remote_ip: (t) => t.remote?.ip ?? '',
  remote_port: (t) => String(t.remote?.port ?? 0),
  scheme: (t) => (t.remote ? 'HTTP' : ''),
  size_download: (t) => String(t.sizeDownload),
  size_header: (t) => String(t.sizeHeader),
  size_upload: (t) => String(t.sizeUpload),
  speed_download: (t) => String(rate(t.sizeDownload, t.totalUs)),
  speed_upload: (t) => String(rate(t.sizeUpload, t.totalUs)),
  time_appconnect: () => seconds(0),
  time_connect: (t) => seconds(t.connectUs),
  time_namelookup: (t) => seconds(t.nameUs),
  time_pretransfer: (t) => seconds(t.preUs),
  time_redirect: () => seconds(0),
  time_starttransfer: (t) => seconds(t.firstUs),
  time_total: (t) => seconds(t.totalUs),
  url: (t) => t.url,
  url_effective: (t) => t.url,
};

export function writeOut(format: string, t: TransferInfo): { stdout: string; unknown: readonly string[] } {
  const unknown: string[] = [];
  const stdout = format.replace(/%\{([^}]*)\}|%%|\\(.)/g, (all, name: string | undefined, esc: string | undefined) => {
    if (esc !== undefined) return { n: '\n', r: '\r', t: '\t' }[esc] ?? all;
    if (name === undefined) return '%';
    const v = VARIABLES[name];
    if (!v) unknown.push(name);
    return v ? v(t) : '';
  });
  return { stdout, unknown };
}

const size5 = (n: number): string => {
  if (n < 100_000) return String(n).padStart(5);
  if (n < 10_000 * 1024) return `${String(Math.floor(n / 1024)).padStart(4)}k`;
  return `${String(Math.floor(n / 1_048_576)).padStart(4)}M`;
};

export const METER_HEAD =
  '  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n' +
  '                                 Dload  Upload   Total   Spent    Left  Speed\n';

/** One line of the progress meter (lib/progress.c). `us`: time so far; sizes in bytes. */
export function meter(got: number, total: number | undefined, us: number): string {
  const percent = total === undefined || total === 0 ? 0 : Math.floor((got * 100) / total);
  const speed = rate(got, us);
  const spent = Math.floor(us / 1_000_000);
  const time = spent === 0 ? '--:--:--' : clock(spent);
  const all = size5(total ?? got);
  const p = String(percent).padStart(3);
  return `\r${p} ${all}  ${p} ${size5(got)}    0     0  ${size5(speed).padStart(5)}      0 --:--:-- ${time} --:--:-- ${size5(speed)}`;
}

function clock(s: number): string {
  const h = Math.floor(s / 3600);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${String(h).padStart(2)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}
