import { hash32 } from './hash';

/** One seeded stream of 32-bit integers (sfc32; integer operations only, so equal in every JavaScript engine). */
export class PrngStream {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  constructor(seed: number, name: string) {
    this.a = hash32(name, seed) | 0;
    this.b = hash32(name, seed ^ 0x5bd1e995) | 0;
    this.c = seed | 0;
    for (let i = 0; i < 12; i++) this.u32();
  }

  /** Next unsigned 32-bit integer. */
  u32(): number {
    const t = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + t) | 0;
    return t >>> 0;
  }

  /** Integer in 0..n-1 (n in 1..2^32), by the kernel's reciprocal scaling (get_random_u32_below's shape). */
  below(n: number): number {
    // 32x32 -> high 32 bits, in two halves so that every step stays an exact integer below 2^53.
    const r = this.u32();
    const hi = Math.floor(r / 0x10000);
    const lo = r % 0x10000;
    return Math.floor((hi * n + Math.floor((lo * n) / 0x10000)) / 0x10000);
  }

  /** Integer in lo..hi, both ends included. */
  between(lo: number, hi: number): number {
    return lo + this.below(hi - lo + 1);
  }
}

/**
 * Named random streams of one seed. Each user of chance has its own stream ('statistic', 'ephemeral-port', ...), so
 * that a new feature does not shift everybody else's numbers.
 */
export class Prng {
  private readonly streams = new Map<string, PrngStream>();

  constructor(readonly seed: number) {}

  stream(name: string): PrngStream {
    let s = this.streams.get(name);
    if (!s) {
      s = new PrngStream(this.seed, name);
      this.streams.set(name, s);
    }
    return s;
  }
}
