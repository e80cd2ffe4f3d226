import { parsePortRange } from '../args';
import { ALWAYS, opt } from '../match-util';
import { type AnyMatch, defineMatch, type Test } from '../xt';
import { type PortSpec, portList, portSave, portTest } from './tcp';

interface PortsSpec {
  sport?: PortSpec;
  dport?: PortSpec;
}

/** A match of nothing but ports: udp, and the port part of sctp, dccp, udplite. */
export const portsMatch = (name: string, proto: number): AnyMatch =>
  defineMatch<PortsSpec>({
    name,
    options: [opt('source-port|sport'), opt('destination-port|dport')],
    init: () => ({}),
    parse(s, o, [arg], not) {
      const [lo, hi] = parsePortRange(arg as string, proto);
      s[o === 'source-port' ? 'sport' : 'dport'] = { lo, hi, ...(not ? { not } : {}) };
    },
    print: (s) => [...portSave('sport', s.sport), ...portSave('dport', s.dport)].join(' '),
    list: (s, ctx) =>
      [name, ...portList('spt', s.sport, proto, ctx), ...portList('dpt', s.dport, proto, ctx)].join(' '),
    compile(s) {
      const tests = [portTest('sport', s.sport), portTest('dport', s.dport)].filter((t): t is Test => t !== undefined);
      if (tests.length === 0) return ALWAYS;
      return tests.length === 1 ? (tests[0] as Test) : (f) => tests.every((t) => t(f));
    },
    value: (s, f) => [...(s.sport ? [`sport ${f.sport}`] : []), ...(s.dport ? [`dport ${f.dport}`] : [])].join(' '),
  });

/** xt_udp. */
export const udp = portsMatch('udp', 17);
