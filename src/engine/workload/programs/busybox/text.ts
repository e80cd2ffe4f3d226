/** A packaged busybox. */
export interface BusyboxRelease {
  readonly banner: string;
  /** Whether wget knows -T (FEATURE_WGET_TIMEOUT). */
  readonly wgetTimeout: boolean;
}

export const BUSYBOX_135: BusyboxRelease = {
  banner: 'BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.\n\n',
  wgetTimeout: false,
};
export const BUSYBOX_137: BusyboxRelease = {
  banner: 'BusyBox v1.37.0 (Debian 1:1.37.0-6+b9) multi-call binary.\n\n',
  wgetTimeout: true,
};

const WGET = [
  'Usage: wget [-cqS] [--spider] [-O FILE] [-o LOGFILE] [--header STR]',
  '\t[--post-data STR | --post-file FILE] [-Y on/off]',
  '\t[--no-check-certificate] [-P DIR] [-U AGENT] URL...',
  '',
  'Retrieve files via HTTP or FTP',
  '',
  '\t--spider\tOnly check URL existence: $? is 0 if exists',
  "\t--header STR\tAdd STR (of form 'header: value') to headers",
  '\t--post-data STR\tSend STR using POST method',
  '\t--post-file FILE\tSend FILE using POST method',
  "\t--no-check-certificate\tDon't validate the server's certificate",
  '\t-c\t\tContinue retrieval of aborted transfer',
  '\t-q\t\tQuiet',
  '\t-P DIR\t\tSave to DIR (default .)',
  '\t-S    \t\tShow server response',
  "\t-O FILE\t\tSave to FILE ('-' for stdout)",
  '\t-o LOGFILE\tLog messages to FILE',
  '\t-U STR\t\tUse STR for User-Agent header',
  '\t-Y on/off\tUse proxy',
  '',
].join('\n');
const NC = [
  'Usage: nc [-iN] [-wN] [-l] [-p PORT] [-f FILE|IPADDR PORT] [-e PROG]',
  '',
  'Open a pipe to IP:PORT or FILE',
  '',
  '\t-l\tListen mode, for inbound connects',
  '\t\t(use -ll with -e for persistent server)',
  '\t-p PORT\tLocal port',
  '\t-w SEC\tConnect timeout',
  '\t-i SEC\tDelay interval for lines sent',
  '\t-f FILE\tUse file (ala /dev/ttyS0) instead of network',
  '\t-e PROG\tRun PROG after connect',
  '',
].join('\n');

/** Usage texts of the applets. */
export function usage(r: BusyboxRelease, applet: 'wget' | 'nc'): string {
  if (applet === 'nc') return `${r.banner}${NC}`;
  const timeout = '\t-T SEC\t\tNetwork read timeout is SEC seconds\n';
  const text = r.wgetTimeout
    ? WGET.replace('[-U AGENT] URL', '[-U AGENT] [-T SEC] URL').replace('\t-O FILE', `${timeout}\t-O FILE`)
    : WGET;
  return `${r.banner}${text}`;
}
