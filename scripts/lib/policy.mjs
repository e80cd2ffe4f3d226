/**
 * The content security policy of the built page, as its <meta> element and as the server's header. Scripts come from our own files only; styles may be
 * inline because xterm and CodeMirror write style elements and a static host has no nonce to give; `blob:` workers are for the sandboxed embed, where
 * a worker cannot be started from a URL.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
].join('; ');
