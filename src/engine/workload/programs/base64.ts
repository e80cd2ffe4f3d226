const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of text with one character a byte (RFC 4648). */
export function base64(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i += 3) {
    const n = (text.charCodeAt(i) << 16) | ((text.charCodeAt(i + 1) || 0) << 8) | (text.charCodeAt(i + 2) || 0);
    for (let k = 0; k < 4; k++) {
      out += i + k > text.length ? '=' : (ALPHABET[(n >> (18 - 6 * k)) & 63] as string);
    }
  }
  return out;
}
