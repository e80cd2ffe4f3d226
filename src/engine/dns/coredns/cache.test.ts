import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CoreLab } from '../../../testing/truth/dns/core';
import { askOnce, buildQuery } from '../../../testing/truth/dns/server';
import type { DnsMsg } from '../message';

const IP = '10.244.1.51';

function ask(core: CoreLab, name: string): DnsMsg | undefined {
  let out: DnsMsg | undefined;
  let ended = false;
  const end = (m: DnsMsg | undefined): void => {
    out = m;
    ended = true;
  };
  core.lab.spawn(core.pod(IP), (sys) => askOnce(sys, IP, buildQuery(name, 'A', {}, 7), 'udp', 9_000_000, end), {
    argv: [],
    files: () => undefined,
    output: () => undefined,
  });
  core.waitMs(10_000, () => ended);
  return out;
}

it('property: no answer out of the cache is older than its TTL', () => {
  const step = fc.record({
    name: fc.constantFrom('www', 'short', 'ten', 'zero', 'no'),
    pauseMs: fc.integer({ min: 0, max: 12_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const core = new CoreLab(5);
      core.start({ corefile: '.:53 {\n cache 30\n forward . 10.0.0.53\n}\n', kube: undefined });
      core.waitMs(500);
      /** Until when an answer of the upstream may be given again (us), by name. */
      const good = new Map<string, number>();
      for (const s of steps) {
        core.waitMs(s.pauseMs);
        const before = core.lab.seen.length;
        const m = ask(core, `${s.name}.example.com.`);
        const asked = core.lab.seen.slice(before).some((e) => e.kind === 'dns' && e.dst.ip === '10.0.0.53');
        const ttl = Math.min(...[...(m?.answer ?? []), ...(m?.authority ?? [])].map((r) => r.ttl));
        expect(ttl).toBeGreaterThan(0);
        expect(ttl).toBeLessThanOrEqual(30);
        if (asked) good.set(s.name, core.lab.nowUs + ttl * 1_000_000);
        else expect(core.lab.nowUs + (ttl - 1) * 1_000_000).toBeLessThanOrEqual(good.get(s.name) ?? 0);
      }
    }),
    { numRuns: 25 },
  );
});

it('every question ends in one answer or one timeout', () => {
  const core = new CoreLab(5);
  core.start({ corefile: '.:53 {\n errors\n cache 30\n forward . 10.0.0.53\n}\n', kube: undefined });
  core.waitMs(500);
  for (const name of ['www', 'drop', 'slow3', 'servfail', 'no']) {
    const before = core.lab.seen.length;
    expect(ask(core, `${name}.example.com.`)?.rcode).toBe({ www: 'NOERROR', no: 'NXDOMAIN' }[name] ?? 'SERVFAIL');
    const answers = core.lab.seen.slice(before).filter((e) => e.kind === 'dns' && e.dst.ip === IP);
    expect(answers).toHaveLength(1);
  }
});
