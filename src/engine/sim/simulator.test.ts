import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/assert';
import { Prng, PrngStream } from '../base/prng';
import { World } from '../base/recordmap';
import { Simulator } from './simulator';

function make(): { sim: Simulator; ran: string[] } {
  const sim = new Simulator(new World());
  const ran: string[] = [];
  sim.on<string>('say', (what) => {
    ran.push(`${sim.now}:${what}`);
  });
  return { sim, ran };
}

describe('Simulator', () => {
  it('runs timers by time, then in the order of scheduling', () => {
    const { sim, ran } = make();
    sim.after(20, 'say', 'c');
    sim.after(10, 'say', 'a');
    sim.after(10, 'say', 'b');
    expect(sim.run({})).toBe('idle');
    expect(ran).toEqual(['10:a', '10:b', '20:c']);
  });
  it('stops the clock at the end of a budget of time and goes on from there', () => {
    const { sim, ran } = make();
    sim.after(5, 'say', 'a');
    sim.after(50, 'say', 'b');
    expect(sim.run({ untilUs: 10 })).toBe('until');
    expect(sim.now).toBe(10);
    expect(sim.run({ untilUs: 100 })).toBe('until');
    expect(sim.now).toBe(100);
    expect(ran).toEqual(['5:a', '50:b']);
  });
  it('does not run what was cancelled', () => {
    const { sim, ran } = make();
    const id = sim.after(5, 'say', 'a');
    sim.after(6, 'say', 'b');
    sim.cancel(id);
    expect(sim.queued).toBe(1);
    sim.run({});
    expect(ran).toEqual(['6:b']);
  });
  it('ends a runaway by its budget and refuses the past', () => {
    const { sim } = make();
    sim.on('again', () => {
      sim.after(0, 'again');
    });
    sim.after(0, 'again');
    expect(sim.run({ maxHandlers: 1000 })).toBe('budget');
    expect(() => sim.at(sim.now - 1, 'say')).toThrow(InvariantError);
    expect(() => sim.after(1, 'unheard-of')).toThrow(InvariantError);
  });
});

describe('Prng', () => {
  it('gives each name its own stream, the same for the same seed', () => {
    const draw = (seed: number, name: string): number[] => {
      const s = new Prng(seed).stream(name);
      return [s.u32(), s.u32(), s.u32()];
    };
    expect(draw(7, 'statistic')).toEqual(draw(7, 'statistic'));
    expect(draw(7, 'statistic')).not.toEqual(draw(7, 'latency'));
    expect(draw(7, 'statistic')).not.toEqual(draw(8, 'statistic'));
  });
  it('spreads below(n) evenly: chi-square over 16 classes of 16,000 draws stays under the 0.1 % bound', () => {
    const t = new PrngStream(2, 'y');
    const seen = new Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) {
      const c = t.below(16);
      seen[c] = (seen[c] ?? 0) + 1;
    }
    const chi = seen.reduce((sum, n) => sum + ((n - 1000) * (n - 1000)) / 1000, 0);
    expect(chi).toBeLessThan(37.7);
    expect(seen.length).toBe(16);
  });
});
