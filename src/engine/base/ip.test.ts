import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalIp, cidrContains, formatIpv4, ipBits, maskIp, parseCidr, parseIpv4 } from './ip';

describe('addresses by the rules of net/netip', () => {
  it.each(['010.0.0.1', '0x0a.0.0.1', '10.1', '167772161', '1.2.3.4.', '1.2.3', '256.1.1.1', '', '1..2.3', ' 1.2.3.4'])(
    'refuses %j',
    (text) => expect(canonicalIp(text)).toBeUndefined(),
  );
  it.each([
    ['fd00:10:96::1', 'fd00:10:96::1'],
    ['FD00:0:0:0:0:0:0:1', 'fd00::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ])('%s is %s', (text, want) => expect(canonicalIp(text)).toBe(want));
  it.each([
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7:8:9',
    ':1',
    'fe80::1%eth0',
    '1:2:3:4:5:6:7::8',
  ])('refuses %j as IPv6', (text) => expect(canonicalIp(text)).toBeUndefined());
  it('knows which network holds an address', () => {
    const c = parseCidr('10.96.0.0/12');
    expect(c && cidrContains(c, '10.111.255.255')).toBe(true);
    expect(c && cidrContains(c, '10.112.0.0')).toBe(false);
    expect(c && cidrContains(c, 'fd00::1')).toBe(false);
    expect(parseCidr('10.0.0.0/33')).toBeUndefined();
    expect(parseCidr('10.0.0.0/08')).toBeUndefined();
    expect(maskIp('fd00:10:96:ffff::1', 48)).toBe('fd00:10:96::');
  });
  it('property: text and bits round-trip', () => {
    fc.assert(fc.property(fc.nat(0xffffffff), (n) => parseIpv4(formatIpv4(n)) === n));
    fc.assert(
      fc.property(fc.ipV6(), (t) => {
        const c = canonicalIp(t) as string;
        expect(canonicalIp(c)).toBe(c);
        expect(ipBits(c)).toBe(ipBits(t));
      }),
    );
  });
});
