import { describe, expect, test } from 'vitest';
import { ruleParts, ruleTitle } from './rule-text';

const condition = (text: string): string => ruleParts(text).condition;

describe('a rule in short', () => {
  test.each([
    [
      '-A KUBE-SERVICES -d 10.96.10.10/32 -p tcp -m comment --comment "default/web cluster IP" -m tcp --dport 80 -j KUBE-SVC-A',
      '10.96.10.10/32 tcp 80',
    ],
    [
      '-A KUBE-SVC-A ! -s 10.244.0.0/16 -d 10.96.10.10/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ',
      '! -s 10.244.0.0/16 10.96.10.10/32 tcp 80',
    ],
    [
      '-A KUBE-SVC-A -m comment --comment "x -> y" -m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-B',
      'random 0.50000000000',
    ],
    ['-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN', '! mark 0x4000/0x4000'],
    ['-A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT', 'ctstate RELATED,ESTABLISHED'],
    [
      '-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS',
      'dst-type LOCAL',
    ],
    ['-A PREROUTING -m comment --comment "says \\"hello\\" -d 1.2.3.4" -j KUBE-SERVICES', ''],
  ])('%s', (text, short) => {
    expect(condition(text)).toBe(short);
  });
  test('a rewrite that names no address is told by its target', () => {
    expect(ruleTitle('-A KUBE-SEP-B -p tcp -m tcp -j DNAT --to-destination 10.244.2.10:8080')).toEqual({
      title: { as: 'code', text: 'DNAT --to-destination' },
      detail: { as: 'code', text: '10.244.2.10:8080' },
    });
    expect(ruleTitle('-A X -j KUBE-SEP-B')).toEqual({
      title: { as: 'word', code: 'every-packet' },
      detail: { as: 'code', text: '→ KUBE-SEP-B' },
    });
  });
  test('a rule without a target has no detail', () => {
    expect(ruleParts('-A X -s 10.0.0.1/32')).toEqual({ condition: '-s 10.0.0.1/32', target: undefined, options: '' });
  });
});
