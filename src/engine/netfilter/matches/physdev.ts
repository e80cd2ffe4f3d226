import { devName } from '../../net/records';
import { ifaceTest } from '../iface';
import { bang, opt } from '../match-util';
import { defineMatch, extProblem } from '../xt';

interface PhysdevSpec {
  in?: { name: string; not?: boolean };
  out?: { name: string; not?: boolean };
  isIn?: { not?: boolean };
  isOut?: { not?: boolean };
  isBridged?: { not?: boolean };
}

/** xt_physdev: the bridge ports of a bridged frame. */
export const physdev = defineMatch<PhysdevSpec>({
  name: 'physdev',
  options: [
    opt('physdev-in'),
    opt('physdev-out'),
    opt('physdev-is-in', 0),
    opt('physdev-is-out', 0),
    opt('physdev-is-bridged', 0),
  ],
  init: () => ({}),
  parse(s, o, [arg = ''], not) {
    const inv = not ? { not } : {};
    if (o === 'physdev-in') s.in = { name: arg, ...inv };
    else if (o === 'physdev-out') s.out = { name: arg, ...inv };
    else if (o === 'physdev-is-in') s.isIn = inv;
    else if (o === 'physdev-is-out') s.isOut = inv;
    else s.isBridged = inv;
  },
  check(_s, given) {
    if (given.size === 0) throw extProblem('physdev', 'no physdev option specified');
  },
  print: (s) =>
    [
      ...(s.isIn ? [`${bang(s.isIn.not)}--physdev-is-in`] : []),
      ...(s.in ? [`${bang(s.in.not)}--physdev-in ${s.in.name}`] : []),
      ...(s.isOut ? [`${bang(s.isOut.not)}--physdev-is-out`] : []),
      ...(s.out ? [`${bang(s.out.not)}--physdev-out ${s.out.name}`] : []),
      ...(s.isBridged ? [`${bang(s.isBridged.not)}--physdev-is-bridged`] : []),
    ].join(' '),
  list(s, ctx) {
    return `PHYSDEV match ${this.print(s, ctx)}`;
  },
  compile: (s) => {
    const inTest = s.in && ifaceTest(s.in.name);
    const outTest = s.out && ifaceTest(s.out.name);
    return (f) => {
      const pin = f.skb.physIn;
      const pout = f.skb.physOut;
      if (s.isIn && (pin !== undefined) === (s.isIn.not ?? false)) return false;
      if (s.isOut && (pout !== undefined) === (s.isOut.not ?? false)) return false;
      if (s.isBridged && (pin !== undefined && pout !== undefined) === (s.isBridged.not ?? false)) return false;
      if (inTest && inTest(pin === undefined ? '' : devName(pin)) === (s.in?.not ?? false)) return false;
      return !(outTest && outTest(pout === undefined ? '' : devName(pout)) === (s.out?.not ?? false));
    };
  },
  value: (_s, f) =>
    [f.skb.physIn ? `in ${devName(f.skb.physIn)}` : '', f.skb.physOut ? `out ${devName(f.skb.physOut)}` : '']
      .filter((t) => t !== '')
      .join(' '),
});
