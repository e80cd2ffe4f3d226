import { describe, expect, it } from 'vitest';
import { createNet, type Net } from '../../net';
import type { Packet, Skb } from '../../net/types';
import { createCtx } from '../../trace';
import { createNetfilter, type Netfilter } from '../index';
import type { RuleRecord } from '../model';
import { parseCommand } from '../text/parse';
import { printCtx, ruleText } from '../text/print';
import { compileRule } from '../walk/compile';
import { Facts } from '../xt';
import { MATCHES } from './index';

function world(): { net: Net; nf: Netfilter } {
  const ctx = createCtx(1);
  const net = createNet(ctx);
  net.addNamespace({ id: 'n', node: 'n', kind: 'node', init: true });
  net.links.addDevice('n', { name: 'eth0', kind: 'eth', addrs: ['10.0.0.1/24'] });
  const nf = createNetfilter(ctx, net);
  for (const line of [
    'create S hash:ip,port',
    'add S 10.0.0.1,tcp:80',
    'create N hash:net',
    'add N 10.0.0.0/8',
    'add N 10.0.0.2 nomatch',
  ]) {
    nf.ipset.run('n', line.split(' '));
  }
  return { net, nf };
}

const tcp = (
  o: Partial<{
    src: string;
    dst: string;
    sport: number;
    dport: number;
    flags: number;
    len: number;
    ttl: number;
    tos: number;
    mss: number;
  }> = {},
): Packet => ({
  id: 1,
  ip: {
    family: 4,
    src: o.src ?? '10.0.0.9',
    dst: o.dst ?? '10.0.0.1',
    proto: 6,
    ttl: o.ttl ?? 64,
    tos: o.tos ?? 0,
    id: 0,
    df: false,
  },
  l4: {
    kind: 'tcp',
    sport: o.sport ?? 40000,
    dport: o.dport ?? 80,
    seq: 1,
    ack: 0,
    flags: o.flags ?? 2,
    window: 1000,
    ...(o.mss === undefined ? {} : { options: { mss: o.mss } }),
    payload: { len: o.len ?? 0 },
  },
});
const udp = (dport: number): Packet => ({
  ...tcp(),
  ip: { ...tcp().ip, proto: 17 },
  l4: { kind: 'udp', sport: 5000, dport, payload: { len: 10 } },
});
const ping = (type: number, code = 0): Packet => ({
  ...tcp(),
  ip: { ...tcp().ip, proto: 1 },
  l4: { kind: 'icmp', type, code, id: 7, seq: 1, payload: { len: 0 } },
});
const skb = (packet: Packet, more: Partial<Skb> = {}): Skb => ({
  packet,
  netns: 'n',
  inDev: 'n:eth0',
  outDev: undefined,
  pktType: 'host',
  mark: 0,
  ct: undefined,
  route: undefined,
  origin: undefined,
  traced: false,
  span: 0,
  ...more,
});

function record(nf: Netfilter, args: string, family: 4 | 6 = 4): RuleRecord {
  const cmd = parseCommand(['-A', 'X', ...args.split(' ')], {
    family,
    backend: 'nft',
    version: '1.8.9',
    chainExists: () => true,
    setExists: (s) => nf.sets.exists('n', s),
  });
  return { ...(cmd.rules[0] as RuleRecord), id: `x#${args}`, text: args };
}

/** Name of a match, rule arguments, what matches, what does not. */
type Case = readonly [name: string, args: string, yes: Skb, no: Skb];
const CASES: readonly Case[] = [
  ['addrtype', '-m addrtype --dst-type LOCAL', skb(tcp()), skb(tcp({ dst: '10.0.0.5' }))],
  ['comment', '-p tcp -m comment --comment "x"', skb(tcp()), skb(udp(1))],
  ['connmark', '-m connmark --mark 0x1', skb(tcp(), { mark: 1 }), skb(tcp())],
  [
    'conntrack',
    '-m conntrack --ctstate INVALID',
    skb(tcp()),
    skb(tcp(), { ct: { id: '', dir: 'original', info: 'UNTRACKED' } }),
  ],
  ['dscp', '-m dscp --dscp 0x0a', skb(tcp({ tos: 40 })), skb(tcp())],
  ['ecn', '-p tcp -m ecn --ecn-ip-ect 1', skb(tcp({ tos: 1 })), skb(tcp())],
  ['icmp', '-p icmp -m icmp --icmp-type 3/3', skb(ping(3, 3)), skb(ping(3, 1))],
  ['iprange', '-m iprange --src-range 10.0.0.5-10.0.0.9', skb(tcp()), skb(tcp({ src: '10.0.0.10' }))],
  ['length', '-m length --length 50:60', skb(tcp({ len: 10 })), skb(tcp())],
  [
    'mac',
    '-m mac --mac-source 02:00:00:00:00:01',
    skb(tcp(), { srcMac: '02:00:00:00:00:01' }),
    skb(tcp(), { srcMac: '02:00:00:00:00:02' }),
  ],
  ['mark', '-m mark --mark 0x4000/0x4000', skb(tcp(), { mark: 0x4001 }), skb(tcp(), { mark: 1 })],
  ['multiport', '-p tcp -m multiport --dports 22,80:90', skb(tcp()), skb(tcp({ dport: 91 }))],
  [
    'owner',
    '-m owner --uid-owner 0',
    skb(tcp(), { origin: { kind: 'socket', sock: 's', uid: 0 } }),
    skb(tcp(), { origin: { kind: 'socket', sock: 's', uid: 5 } }),
  ],
  ['physdev', '-m physdev --physdev-in veth+', skb(tcp(), { physIn: 'n:vetha' }), skb(tcp())],
  ['pkttype', '-m pkttype --pkt-type broadcast', skb(tcp(), { pktType: 'broadcast' }), skb(tcp())],
  ['rpfilter', '-m rpfilter', skb(tcp()), skb(tcp({ src: '192.0.2.1' }))],
  ['sctp', '-p sctp -m sctp ! --dport 80', skb(udp(1)), skb(udp(80))],
  ['set', '-m set --match-set S dst,dst', skb(tcp()), skb(tcp({ dport: 81 }))],
  [
    'state',
    '-m state --state UNTRACKED',
    skb(tcp(), { ct: { id: '', dir: 'original', info: 'UNTRACKED' } }),
    skb(tcp()),
  ],
  ['tcp', '-p tcp -m tcp --dport 80 --tcp-flags SYN,ACK SYN', skb(tcp()), skb(tcp({ flags: 18 }))],
  ['tcpmss', '-p tcp -m tcpmss --mss 1400:1500', skb(tcp({ mss: 1460 })), skb(tcp({ mss: 536 }))],
  ['ttl', '-m ttl --ttl-lt 10', skb(tcp({ ttl: 9 })), skb(tcp())],
  ['udp', '-p udp -m udp --dport 53', skb(udp(53)), skb(udp(54))],
  ['time', '-m time --timestart 00:00 --timestop 01:00', skb(tcp()), skb(tcp())],
];

/** Matches whose answer depends on what came before: tested one by one below. */
const STATEFUL = [
  'connbytes',
  'connlimit',
  'hashlimit',
  'hl',
  'icmp6',
  'limit',
  'nfacct',
  'quota',
  'recent',
  'socket',
  'statistic',
];

function evaluate(nf: Netfilter, args: string): (s: Skb) => boolean {
  const { tests } = compileRule(record(nf, args), nf.env('n'), 4);
  return (s) => {
    const f = new Facts().load(s, 'prerouting');
    // The protocol of a case may be a stand-in; only the match itself is asked.
    return tests.slice(-1).every((t) => t(f));
  };
}

describe('matches', () => {
  it('each match of the list has a case', () => {
    const covered = new Set([...CASES.map(([n]) => n), ...STATEFUL]);
    expect(MATCHES.map((m) => m.name).filter((n) => !covered.has(n))).toEqual([]);
  });

  for (const [name, args, yes, no] of CASES) {
    it(`${name}: ${args}`, () => {
      const { nf } = world();
      const test = evaluate(nf, args.replace(/"/g, ''));
      if (name === 'connmark') {
        // No connection, no match either way.
        expect(test(yes)).toBe(false);
        expect(test(no)).toBe(false);
        return;
      }
      if (name === 'comment') {
        expect(test(yes)).toBe(true);
        expect(
          compileRule(record(nf, '-p tcp -m comment --comment x'), nf.env('n'), 4).tests[0]?.(
            new Facts().load(no, 'input'),
          ),
        ).toBe(false);
        return;
      }
      expect(test(yes)).toBe(true);
      if (name !== 'time') expect(test(no)).toBe(false);
      else expect(evaluate(nf, '-m time --timestart 02:00 --timestop 03:00')(no)).toBe(false);
    });
  }

  it('a negated option turns its own part round', () => {
    const { nf } = world();
    expect(evaluate(nf, '-m mark ! --mark 0x1')(skb(tcp()))).toBe(true);
    expect(evaluate(nf, '-m set ! --match-set N src')(skb(tcp({ src: '10.0.0.2' })))).toBe(true);
    expect(evaluate(nf, '-m set --match-set N src')(skb(tcp()))).toBe(true);
  });

  it('statistic nth counts from its start packet', () => {
    const { nf } = world();
    const a = evaluate(nf, '-m statistic --mode nth --every 3 --packet 0');
    expect([1, 2, 3, 4, 5].map(() => a(skb(tcp())))).toEqual([true, false, false, true, false]);
    const b = evaluate(nf, '-m statistic --mode nth --every 3 --packet 1');
    expect([1, 2, 3, 4, 5].map(() => b(skb(tcp())))).toEqual([false, true, false, false, true]);
  });

  it('statistic random draws from the given numbers', () => {
    const { nf } = world();
    const half = evaluate(nf, '-m statistic --mode random --probability 0.5');
    const draws = [0, 0x3fffffff, 0x40000000, 0x7fffffff];
    nf.setDraws({ u31: () => draws.shift() ?? 0, u16: () => 0, below: () => 0 });
    expect([1, 2, 3, 4].map(() => half(skb(tcp())))).toEqual([true, true, false, false]);
  });

  it('recent: set, then seen within the window, then removed', () => {
    const { nf } = world();
    const set = evaluate(nf, '-m recent --set --name R');
    const check = evaluate(nf, '-m recent --rcheck --seconds 10 --name R');
    const remove = evaluate(nf, '-m recent --remove --name R');
    expect(check(skb(tcp()))).toBe(false);
    expect(set(skb(tcp()))).toBe(true);
    expect(check(skb(tcp()))).toBe(true);
    nf.ctx.sim.run({ untilUs: 11_000_000 });
    expect(check(skb(tcp()))).toBe(false);
    expect(remove(skb(tcp()))).toBe(true);
    expect(remove(skb(tcp()))).toBe(false);
  });

  it('limit and hashlimit: a burst, then one packet per interval', () => {
    for (const args of [
      '-m limit --limit 1/sec --limit-burst 2',
      '-m hashlimit --hashlimit-upto 1/sec --hashlimit-burst 2 --hashlimit-mode srcip --hashlimit-name H',
    ]) {
      const { nf } = world();
      const test = evaluate(nf, args);
      expect([1, 2, 3].map(() => test(skb(tcp())))).toEqual([true, true, false]);
      nf.ctx.sim.run({ untilUs: nf.ctx.sim.now + 1_000_000 });
      expect([1, 2].map(() => test(skb(tcp())))).toEqual([true, false]);
    }
  });

  it('quota: bytes run out', () => {
    const { nf } = world();
    const test = evaluate(nf, '-m quota --quota 100');
    expect([1, 2, 3].map(() => test(skb(tcp())))).toEqual([true, true, false]);
  });

  it('connlimit counts the packet itself; connbytes needs accounting; socket needs a socket; nfacct always counts', () => {
    const { nf } = world();
    expect(evaluate(nf, '-m connlimit --connlimit-above 0')(skb(tcp()))).toBe(true);
    expect(evaluate(nf, '-m connlimit --connlimit-above 1')(skb(tcp()))).toBe(false);
    expect(evaluate(nf, '-m connbytes --connbytes 0: --connbytes-dir both --connbytes-mode bytes')(skb(tcp()))).toBe(
      false,
    );
    expect(evaluate(nf, '-m socket')(skb(tcp()))).toBe(false);
    expect(evaluate(nf, '-m nfacct --nfacct-name A')(skb(tcp()))).toBe(true);
  });

  it('IPv6 matches: icmp6 and hl', () => {
    const { nf } = world();
    const p: Packet = {
      id: 1,
      ip: { family: 6, src: 'fd00::1', dst: 'fd00::2', proto: 58, ttl: 5, tos: 0, id: 0, df: false },
      l4: { kind: 'icmp', type: 128, code: 0, id: 1, seq: 1, payload: { len: 0 } },
    };
    const run = (args: string): boolean =>
      compileRule(record(nf, args, 6), nf.env('n'), 6).tests.every((t) => t(new Facts().load(skb(p), 'input')));
    expect(run('-s fd00::/64 -p ipv6-icmp -m icmp6 --icmpv6-type echo-request')).toBe(true);
    expect(run('-s fd01::/64 -m hl --hl-eq 5')).toBe(false);
    expect(run('-m hl --hl-gt 4')).toBe(true);
  });

  it('every rule prints to what it was parsed from', () => {
    const { nf } = world();
    for (const args of [
      '-s 10.0.0.0/8 ! -d 10.96.0.1/32 -i eth+ ! -o lo -p tcp -m tcp --sport 1:1024 ! --dport 80 -m mark ! --mark 0x1/0xff',
      '-m conntrack --ctstate NEW,ESTABLISHED --ctorigdst 10.96.0.10 --ctorigdstport 80 --ctdir ORIGINAL',
      '-m statistic --mode random --probability 0.33333333349',
      '-m recent --rcheck --seconds 60 --reap --name K --mask 255.255.255.255 --rsource',
      '-p udp -m multiport ! --sports 53,100:200 -m iprange --src-range 10.0.0.1-10.0.0.9',
      '-m limit --limit 5/min --limit-burst 7 -m addrtype --src-type LOCAL --limit-iface-in',
      '-m set ! --match-set S dst,dst --return-nomatch',
    ]) {
      const r = record(nf, args);
      expect(ruleText(r, printCtx(r, { numeric: true, family: 4, version: '1.8.9', backend: 'nft' }))).toBe(args);
    }
  });
});
