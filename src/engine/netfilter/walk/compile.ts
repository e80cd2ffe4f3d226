import { parseIpv6 } from '../../base/ip';
import { devName } from '../../net/records';
import { listAddr, protocolName } from '../args';
import { ifaceTest } from '../iface';
import { findMatch } from '../known-matches';
import { findTarget } from '../known-targets';
import { bang } from '../match-util';
import type { AddrSpec, RuleRecord, RuleSpec } from '../model';
import { printCtx, ruleText } from '../text/print';
import { type AnyMatch, type AnyTarget, type Facts, ip4, type Test, type XtEnv } from '../xt';

/** One test of a rule with what is shown of it. */
export interface CompiledTest {
  readonly test: Test;
  /** Code for runs of misses: `dst`, `proto`, `conntrack`... */
  readonly code: string;
  /** As printed: `-d 10.96.0.10/32`. */
  readonly name: string;
  value(f: Facts): string;
  /** A miss of it is an event of its own, never folded: chance and memory decide. */
  readonly neverFold: boolean;
}

export interface CompiledRule {
  readonly rec: RuleRecord;
  readonly tests: readonly Test[];
  readonly shown: readonly CompiledTest[];
  readonly target: AnyTarget | undefined;
  readonly unsupported: boolean;
}

/** Matches whose misses depend on chance or memory (statistic, recent, limits). */
const NEVER_FOLD = ['statistic', 'recent', 'limit', 'hashlimit', 'quota', 'connlimit'];

function addrTest(a: AddrSpec, which: 'src' | 'dst', family: 4 | 6): Test {
  const inv = a.not;
  if (family === 4) {
    const mask = ip4(a.mask) | 0;
    const want = ip4(a.addr) | 0;
    return (f) => ((f[which] & mask) === want) !== inv;
  }
  const mask = parseIpv6(a.mask) ?? [];
  const want = parseIpv6(a.addr) ?? [];
  return (f) => {
    const g = parseIpv6(f.packet.ip[which]) ?? [];
    return g.every((x, i) => (x & (mask[i] ?? 0)) === want[i]) !== inv;
  };
}

/** Builds the tests of a rule's own options, in the order in which the kernel's ip_packet_match looks at them. */
function ownTests(r: RuleSpec, family: 4 | 6): CompiledTest[] {
  const out: CompiledTest[] = [];
  const add = (code: string, name: string, test: Test, value: (f: Facts) => string): void => {
    out.push({ code, name, test, value, neverFold: false });
  };
  if (r.src) {
    add(
      'src',
      `${bang(r.src.not)}-s ${listAddr(r.src.addr, r.src.mask)}`,
      addrTest(r.src, 'src', family),
      (f) => f.packet.ip.src,
    );
  }
  if (r.dst) {
    add(
      'dst',
      `${bang(r.dst.not)}-d ${listAddr(r.dst.addr, r.dst.mask)}`,
      addrTest(r.dst, 'dst', family),
      (f) => f.packet.ip.dst,
    );
  }
  if (r.in) {
    const { name, not } = r.in;
    const t = ifaceTest(name);
    const of = (f: Facts): string => (f.skb.inDev === undefined ? '' : devName(f.skb.inDev));
    add('in', `${bang(not)}-i ${name}`, (f) => t(of(f)) !== not, of);
  }
  if (r.out) {
    const { name, not } = r.out;
    const t = ifaceTest(name);
    const of = (f: Facts): string => (f.skb.outDev === undefined ? '' : devName(f.skb.outDev));
    add('out', `${bang(not)}-o ${name}`, (f) => t(of(f)) !== not, of);
  }
  if (r.proto) {
    const { num, not } = r.proto;
    add(
      'proto',
      `${bang(not)}-p ${protocolName(num)}`,
      (f) => (f.proto === num) !== not,
      (f) => protocolName(f.proto),
    );
  }
  if (r.frag) {
    // No packet of the model is a later fragment.
    const { not } = r.frag;
    add(
      'frag',
      `${bang(not)}-f`,
      () => not,
      () => 'no fragment',
    );
  }
  return out;
}

export function compileRule(rec: RuleRecord, env: XtEnv, family: 4 | 6): CompiledRule {
  const shown = ownTests(rec, family);
  const ctx = printCtx(rec, { numeric: true, family, version: '1.8.9', backend: 'nft' });
  rec.matches.forEach((m, i) => {
    const impl: AnyMatch | undefined = findMatch(m.name);
    if (!impl) return;
    const body = impl.print(m.data, ctx);
    const test = impl.compile(m.data, env, `${rec.id}/${i}`);
    shown.push({
      code: m.name,
      name: body === '' ? `-m ${m.name}` : `-m ${m.name} ${body}`,
      test,
      value: (f) => impl.value(m.data, f, env),
      neverFold: NEVER_FOLD.includes(m.name),
    });
  });
  return {
    rec,
    shown,
    tests: shown.map((s) => s.test),
    target: rec.target?.kind === 'ext' ? findTarget(rec.target.name) : undefined,
    unsupported: rec.unsupported !== undefined,
  };
}

/** `-A CHAIN ...` of a rule. */
export const ruleLine = (chain: string, rec: RuleRecord, family: 4 | 6): string => {
  const text = ruleText(rec, printCtx(rec, { numeric: true, family, version: '1.8.9', backend: 'nft' }));
  return text === '' ? `-A ${chain}` : `-A ${chain} ${text}`;
};
