import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DnsMsg, newQuery, parseRR, type RR, replyTo, rrText } from './message';
import { isSubDomain, presented } from './names';
import { messageLen, truncate } from './size';
import { headerMsg, hexBytes, unpackBody, unpackHeader } from './wire';

const record = (text: string): RR => parseRR(text) as RR;

describe('sizes', () => {
  it.each([
    ['mysql.', 'A', 23],
    ['mysql.default.svc.cluster.local.', 'A', 49],
    ['.', 'NS', 17],
  ])('query for %s %s has %i bytes', (name, type, len) => {
    expect(messageLen(newQuery(1, name, type))).toBe(len);
  });

  it('names are compressed only when a message says so', () => {
    const m = replyTo(newQuery(1, 'a.example.com.', 'A'));
    m.answer = [record('a.example.com. 30 IN A 10.0.0.1'), record('a.example.com. 30 IN A 10.0.0.2')];
    expect(messageLen(m)).toBe(31 + 2 * 29);
    expect(messageLen({ ...m, compress: true })).toBe(31 + 2 * 16);
  });

  it('an OPT record counts 11 bytes and its options', () => {
    const edns = { udp: 1232, do: false, version: 0, options: [{ code: 10, len: 8 }] };
    expect(messageLen(newQuery(1, 'a.', 'A', edns))).toBe(messageLen(newQuery(1, 'a.', 'A')) + 11 + 12);
  });

  it('property: a truncated answer fits, keeps the first records and has TC set', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 512, max: 4096 }), (n, size) => {
        const m: DnsMsg = replyTo(newQuery(1, 'big.default.svc.cluster.local.', 'A'));
        m.answer = Array.from({ length: n }, (_, i) =>
          record(`${m.question[0]?.name} 30 IN A 10.0.${i >> 8}.${i & 255}`),
        );
        const before = m.answer.map(rrText);
        truncate(m, size);
        expect(messageLen(m)).toBeLessThanOrEqual(size);
        expect(m.tc).toBe(m.answer.length < n);
        expect(m.answer.map(rrText)).toEqual(before.slice(0, m.answer.length));
      }),
      { numRuns: 60 },
    );
  });
});

describe('bytes', () => {
  it('reads a query', () => {
    const bytes = hexBytes('12340100000100000000000001610474657374000001 0001'.replaceAll(' ', ''));
    const h = unpackHeader(bytes);
    expect(h && headerMsg(h)).toMatchObject({ id: 0x1234, rd: true, qr: false });
    const body = h && unpackBody(bytes, h);
    expect(body?.ok && body.msg.question).toEqual([{ name: 'a.test.', type: 'A', class: 'IN' }]);
  });

  it('refuses what is cut off', () => {
    expect(unpackHeader('abc')).toBeUndefined();
    const bytes = hexBytes('1234010000010000000000000161');
    const h = unpackHeader(bytes);
    expect(h && unpackBody(bytes, h).ok).toBe(false);
  });
});

describe('names', () => {
  it('special characters are escaped, labels of both sides compared whole', () => {
    expect(presented('my service')).toBe('my\\ service');
    expect(isSubDomain('example.com.', 'www.EXAMPLE.com.')).toBe(true);
    expect(isSubDomain('example.com.', 'wwwexample.com.')).toBe(false);
  });
});
