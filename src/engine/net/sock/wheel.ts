import { ipow } from '../../base/int';

/** Ticks a second of the modelled kernel (CONFIG_HZ_250). */
const HZ = 250;
const TICK_US = 1_000_000 / HZ;

/**
 * Delay after which a kernel timer armed now really fires: the timer wheel rounds up to the granularity of the level
 * that the distance falls into (kernel/time/timer.c: 64 buckets a level, 8 times coarser each), so a 64 s timer may be
 * two seconds late.
 */
export function wheelDelayUs(nowUs: number, delayUs: number): number {
  const now = Math.floor(nowUs / TICK_US);
  const expires = now + Math.max(1, Math.ceil(delayUs / TICK_US));
  const delta = expires - now;
  let shift = 0;
  while (shift < 24 && delta >= 63 * ipow(2, shift)) shift += 3;
  const unit = ipow(2, shift);
  const fires = (Math.floor(expires / unit) + 1) * unit;
  return fires * TICK_US - nowUs;
}
