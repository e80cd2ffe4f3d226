import { describe, expect, it } from 'vitest';
import { createNet } from '../../net';
import { createCtx } from '../../trace';
import { createNetfilter } from '../netfilter';

/** One rule a target, by the name of its file: table, chain, and the target as iptables-save prints it. */
const RULES: readonly (readonly [file: string, table: string, chain: string, rule: string])[] = [
  ['audit', 'filter', 'FORWARD', '-j AUDIT --type drop'],
  ['connmark', 'mangle', 'PREROUTING', '-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff'],
  ['ct', 'raw', 'PREROUTING', '-j CT --notrack'],
  ['dnat', 'nat', 'PREROUTING', '-p tcp -j DNAT --to-destination 10.0.0.9:8080'],
  ['dscp', 'mangle', 'FORWARD', '-j DSCP --set-dscp 0x0a'],
  ['log', 'filter', 'FORWARD', '-j LOG --log-prefix "seen "'],
  ['mark', 'mangle', 'PREROUTING', '-j MARK --set-xmark 0x4000/0x4000'],
  ['masquerade', 'nat', 'POSTROUTING', '-j MASQUERADE --random-fully'],
  ['netmap', 'nat', 'PREROUTING', '-d 10.1.0.0/24 -j NETMAP --to 10.2.0.0/24'],
  ['nflog', 'filter', 'FORWARD', '-j NFLOG --nflog-group 5'],
  ['nfqueue', 'filter', 'FORWARD', '-j NFQUEUE --queue-num 3'],
  ['redirect', 'nat', 'PREROUTING', '-p tcp -j REDIRECT --to-ports 8081'],
  ['reject', 'filter', 'FORWARD', '-p tcp -j REJECT --reject-with tcp-reset'],
  ['snat', 'nat', 'POSTROUTING', '-j SNAT --to-source 10.0.0.7'],
  ['tcpmss', 'mangle', 'FORWARD', '-p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu'],
  ['trace', 'raw', 'PREROUTING', '-j TRACE'],
  ['ttl', 'mangle', 'PREROUTING', '-j TTL --ttl-dec 1'],
];

function fresh() {
  const ctx = createCtx(1);
  const net = createNet(ctx);
  net.addNamespace({ id: 'n', node: 'n', kind: 'node', init: true });
  return { ctx, nf: createNetfilter(ctx, net) };
}

describe('targets as text', () => {
  it.each(RULES)('%s: a rule prints back as it was loaded', (_, table, chain, rule) => {
    const { ctx, nf } = fresh();
    expect(nf.restore('n', `*${table}\n-A ${chain} ${rule}\nCOMMIT\n`)).toMatchObject({ ok: true });
    expect(nf.save(ctx.world, 'n').split('\n')).toContain(`-A ${chain} ${rule}`);
  });
  it('set: wants a set that exists', () => {
    const { ctx, nf } = fresh();
    const text = '*filter\n-A FORWARD -j SET --add-set seen src\nCOMMIT\n';
    expect(nf.restore('n', text).ok).toBe(false);
    nf.ipset.run('n', ['create', 'seen', 'hash:ip']);
    expect(nf.restore('n', text)).toMatchObject({ ok: true });
    expect(nf.save(ctx.world, 'n')).toContain('-A FORWARD -j SET --add-set seen src');
  });
  it.each([
    ['-j DNAT --to-destination 10.0.0.300', 'nat', 'PREROUTING'],
    ['-j REJECT --reject-with nonsense', 'filter', 'FORWARD'],
    ['-j MARK', 'mangle', 'PREROUTING'],
    ['-j MASQUERADE', 'filter', 'FORWARD'],
  ])('refuses %s in %s', (rule, table, chain) => {
    const { nf } = fresh();
    expect(nf.restore('n', `*${table}\n-A ${chain} ${rule}\nCOMMIT\n`).ok).toBe(false);
  });
});
