/** What differs between the packaged versions of curl. */
export interface CurlRelease {
  readonly agent: string;
  readonly version: string;
  /** curl_easy_strerror(CURLE_COULDNT_CONNECT). */
  readonly couldNotConnect: string;
  /** What stands before OpenSSL's own words when a TLS handshake fails. */
  readonly tlsPrefix: string;
  /** 8.x words of the verbose log and of some errors. */
  readonly modern: boolean;
}

/** `curl --version` of Debian 12. */
const VERSION_7 = [
  'curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13 brotli/1.0.9 zstd/1.5.4 libidn2/2.3.3 libpsl/0.21.2 (+libidn2/2.3.3) libssh2/1.10.0 nghttp2/1.52.0 librtmp/2.3 OpenLDAP/2.5.13',
  'Release-Date: 2023-02-20, security patched: 7.88.1-10+deb12u15',
  'Protocols: dict file ftp ftps gopher gophers http https imap imaps ldap ldaps mqtt pop3 pop3s rtmp rtsp scp sftp smb smbs smtp smtps telnet tftp',
  'Features: alt-svc AsynchDNS brotli GSS-API HSTS HTTP2 HTTPS-proxy IDN IPv6 Kerberos Largefile libz NTLM NTLM_WB PSL SPNEGO SSL threadsafe TLS-SRP UnixSockets zstd',
].join('\n');

/** `curl --version` of Debian 13 (its first line; the lists differ little). */
const VERSION_8 = VERSION_7.replace(/curl\/7\.88\.1/g, 'curl/8.14.1').replace('curl 7.88.1', 'curl 8.14.1');

export const CURL_7: CurlRelease = {
  agent: 'curl/7.88.1',
  version: VERSION_7,
  couldNotConnect: "Couldn't connect to server",
  tlsPrefix: 'OpenSSL/3.0.19: ',
  modern: false,
};

export const CURL_8: CurlRelease = {
  agent: 'curl/8.14.1',
  version: VERSION_8,
  couldNotConnect: 'Could not connect to server',
  tlsPrefix: 'TLS connect error: ',
  modern: true,
};

/** `curl --help`. */
export const HELP = [
  'Usage: curl [options...] <url>',
  ' -d, --data <data>          HTTP POST data',
  ' -f, --fail                 Fail fast with no output on HTTP errors',
  ' -h, --help <category>      Get help for commands',
  ' -i, --include              Include protocol response headers in the output',
  ' -o, --output <file>        Write to file instead of stdout',
  ' -O, --remote-name          Write output to a file named as the remote file',
  ' -s, --silent               Silent mode',
  ' -T, --upload-file <file>   Transfer local FILE to destination',
  ' -u, --user <user:password> Server user and password',
  ' -A, --user-agent <name>    Send User-Agent <name> to server',
  ' -v, --verbose              Make the operation more talkative',
  ' -V, --version              Show version number and quit',
  '',
  'This is not the full help, this menu is stripped into categories.',
  'Use "--help category" to get an overview of all categories.',
  'For all options use the manual or "--help all".',
].join('\n');

export const TRY = "curl: try 'curl --help' or 'curl --manual' for more information\n";
