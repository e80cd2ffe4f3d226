import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNet } from '../../net';
import { createCtx } from '../../trace';
import { createNetfilter, type Netfilter } from '../index';

function netfilter(): Netfilter {
  const ctx = createCtx(1);
  const net = createNet(ctx);
  net.addNamespace({ id: 'n', node: 'n', kind: 'node', init: true });
  return createNetfilter(ctx, net);
}
const SMALL =
  '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:C - [0:0]\n-A INPUT -j C\nCOMMIT\n';

describe('iptables-restore and -save', () => {
  it('prints what it loaded', () => {
    const nf = netfilter();
    nf.restore('n', SMALL);
    expect(nf.save(nf.ctx.world, 'n')).toBe(SMALL);
  });

  it('--noflush empties only the chains that it names and keeps counters of the others', () => {
    const nf = netfilter();
    nf.restore('n', SMALL.replace('-A INPUT', '[5:500] -A INPUT'), { counters: true });
    nf.restore('n', '*filter\n:C - [0:0]\n-A C -j RETURN\nCOMMIT\n', { noflush: true });
    expect(nf.save(nf.ctx.world, 'n', { counters: true })).toContain('[5:500] -A INPUT -j C\n[0:0] -A C -j RETURN\n');
  });

  it.each([
    ['*filter\n-A INPUT -p tcp --dportt 80 -j ACCEPT\nCOMMIT\n', 2, 2, 'unknown option "--dportt"'],
    ['*nat\n:X - [0:0]\n-A X -j NOPE\nCOMMIT\n', 4, 2, "Chain 'NOPE' does not exist"],
    ['*nat\n-A NOPE -j RETURN\nCOMMIT\n', 2, 1, 'line 2 failed: No chain/target/match by that name.'],
    ['*filter\n-A INPUT -j ACCEPT\n', 3, 1, 'COMMIT expected at line 3'],
    ['*natt\nCOMMIT\n', 1, 2, "table name 'natt' invalid"],
    ['*filter\n:A - [0:0]\n:B - [0:0]\n-A INPUT -j A\n-A A -j B\n-A B -j A\nCOMMIT\n', 6, 4, 'rule in chain B'],
    [`*filter\n-A INPUT -m comment --comment ${'x'.repeat(20_000)}\nCOMMIT\n`, 2, 2, 'Input line too long'],
  ])('refuses %j at its line and changes nothing', (text, line, exit, words) => {
    const nf = netfilter();
    nf.restore('n', SMALL);
    const r = nf.restore('n', text);
    expect(r).toMatchObject({ ok: false, line, exit, message: expect.stringContaining(words) });
    expect(nf.save(nf.ctx.world, 'n')).toBe(SMALL);
  });

  it('jumps deeper than the kernel allows are refused where a packet can come, and only by nf_tables', () => {
    const rules = (n: number, entry: string): string => {
      const chains = Array.from({ length: n }, (_, i) => `:C${i} - [0:0]\n`).join('');
      const jumps = Array.from({ length: n - 1 }, (_, i) => `-A C${i} -j C${i + 1}\n`).join('');
      return `*filter\n${chains}${jumps}${entry}COMMIT\n`;
    };
    const enter = '-A INPUT -j C0\n';
    const nf = netfilter();
    expect(nf.restore('n', rules(15, enter))).toMatchObject({ ok: true });
    expect(nf.restore('n', rules(16, enter))).toMatchObject({
      ok: false,
      exit: 4,
      line: 33,
      message: expect.stringContaining('rule in chain INPUT'),
    });
    expect(nf.restore('n', rules(16, ''))).toMatchObject({ ok: true });
    expect(nf.restore('n', rules(40, enter), { backend: 'legacy' })).toMatchObject({ ok: true });
  });

  it('a loop that no packet can enter is accepted', () => {
    const text = '*filter\n:A - [0:0]\n-A A -j A\nCOMMIT\n';
    expect(netfilter().restore('n', text)).toMatchObject({ ok: true });
  });

  it('legacy lists tables newest first, nft in a fixed order', () => {
    for (const [backend, order] of [
      ['legacy', ['*nat', '*filter', '*mangle']],
      ['nft', ['*mangle', '*filter', '*nat']],
    ] as const) {
      const nf = netfilter();
      for (const t of ['mangle', 'filter', 'nat'])
        nf.restore('n', `*${t}\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n`, { backend });
      expect(
        nf
          .save(nf.ctx.world, 'n', { backend })
          .split('\n')
          .filter((l) => l.startsWith('*')),
      ).toEqual(order);
    }
  });

  it('property: an accepted ruleset prints and loads to itself', () => {
    const ip = fc
      .tuple(fc.integer({ min: 1, max: 223 }), fc.integer({ min: 0, max: 255 }))
      .map(([a, b]) => `${a}.${b}.0.1`);
    const opt = fc.oneof(
      ip.map((a) => `-s ${a}/32`),
      fc.tuple(ip, fc.integer({ min: 1, max: 32 })).map(([a, p]) => `-d ${a}/${p}`),
      fc.integer({ min: 0, max: 65535 }).map((p) => `-p tcp -m tcp --dport ${p}`),
      fc.constantFrom('-m conntrack --ctstate NEW', '-m mark ! --mark 0x1', '-i veth+', '-m comment --comment "a b"'),
    );
    const target = fc.constantFrom(
      '-j ACCEPT',
      '-j C',
      '-g C',
      '-j MARK --set-mark 0x3',
      '-j LOG --log-prefix "x: "',
      '',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(opt, target), { maxLength: 20 }), (rules) => {
        const nf = netfilter();
        const text = `*mangle\n:PREROUTING ACCEPT [0:0]\n:C - [0:0]\n${rules.map(([o, t]) => `-A PREROUTING ${o} ${t}\n`).join('')}COMMIT\n`;
        expect(nf.restore('n', text)).toMatchObject({ ok: true });
        const once = nf.save(nf.ctx.world, 'n');
        nf.restore('n', once);
        expect(nf.save(nf.ctx.world, 'n')).toBe(once);
        expect(once.split('\n').filter((l) => l.startsWith('-A'))).toHaveLength(rules.length);
      }),
      { numRuns: 60 },
    );
  });
});
