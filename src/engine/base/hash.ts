/**
 * 64-bit rolling hash over text, as two 32-bit lanes (FNV-1a with different offsets and a final avalanche).
 * Not cryptographic: it tells two traces apart, byte for byte, the same in every JavaScript engine.
 */
export class Hash64 {
  private a = 0x811c9dc5;
  private b = 0x9747b28c;

  update(text: string): this {
    let { a, b } = this;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      a = Math.imul(a ^ c, 0x01000193);
      b = Math.imul(b ^ (c + 0x9e37), 0x85ebca6b) ^ (b >>> 13);
    }
    this.a = a;
    this.b = b;
    return this;
  }

  /** 16 lower-case hex digits of everything fed so far. Does not end the hash. */
  digest(): string {
    return hex32(mix(this.a)) + hex32(mix(this.b ^ this.a));
  }
}

/** Hash of one string, 16 hex digits. */
export const hashText = (text: string): string => new Hash64().update(text).digest();

/** 32-bit unsigned hash of one string, for seeding and for hash tables. */
export function hash32(text: string, seed = 0): number {
  let h = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h) >>> 0;
}

function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const hex32 = (n: number): string => (n >>> 0).toString(16).padStart(8, '0');
