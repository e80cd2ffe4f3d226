import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../engine/base/json';
import type { Span, TraceEvent } from '../engine/trace';
import { dropCard } from './drop';
import { sentences as en } from './en/sentences';
import { drawText, num, packetKind } from './format';
import { findTerm, terms } from './glossary';
import { addLanguage } from './languages';
import { traceLine } from './line';
import { parseInline, parseProse, plain, termIds, valueNames } from './markup';
import { narrate, stepText } from './narrate';
import { zh as chinese } from './zh/index';
import { sentences as zh } from './zh/sentences';

addLanguage('zh', chinese);

const tcp = { kind: 'tcp', sport: 41002, dport: 80, seq: 0, ack: 0, flags: 2, window: 64240, payload: { len: 0 } };
const packet = {
  id: 1,
  ip: { family: 4 as const, src: '10.244.1.100', dst: '10.96.10.10', proto: 6, ttl: 64, tos: 0, id: 0, df: true },
  l4: tcp as { kind: string },
};
const span = (id: number, parent: number, kind: Span['kind'], facts: Span['facts'] = {}): Span => ({
  id,
  parent,
  kind,
  label: '',
  where: {},
  facts,
  startSeq: 1,
});
const spans = [span(1, 0, 'flow'), span(2, 1, 'packet', { dir: 'original', no: 1 }), span(3, 2, 'netns')];
const where = { node: 'node-1', netns: 'node-1', hook: 'prerouting', table: 'nat', chain: 'KUBE-SEP-6UPWGGTAKQAHVD27' };
const event = (kind: string, facts: unknown, at: TraceEvent['where'] = where, seq = 17): TraceEvent => ({
  seq,
  atUs: 12_000_214,
  span: 3,
  kind,
  where: at,
  facts: facts as Json,
  diff: [],
});
const rule = (over: object) => ({
  packet,
  ruleId: 'r',
  chain: where.chain,
  number: 2,
  rules: 2,
  matched: true,
  matches: [
    { name: '-p tcp', ok: true, value: 'tcp' },
    { name: '-m comment --comment "default/web"', ok: true, value: '' },
    { name: '-m tcp', ok: true, value: '' },
  ],
  target: 'DNAT',
  verdict: 'accept',
  text: '-A X -p tcp -m tcp -j DNAT --to-destination 10.244.2.10:8080',
  ...over,
});

describe('narration', () => {
  test('the DNAT step reads as the pattern says, in both languages', () => {
    const e = event('nf.rule', rule({}));
    const one = narrate(e, { lang: 'en', spans });
    expect(`${stepText(17, 118, 'en')} ${one.spoken}`).toBe(
      'Step 17 of 118. Packet 1: node-1, PREROUTING, nat, KUBE-SEP 6UPW, rule 2 of 2. Matched rule 2: DNAT. ' +
        'Rule 2 names no address, so every TCP packet that reaches this chain is sent to 10.244.2.10 port 8080.',
    );
    const two = narrate(e, { lang: 'zh', spans });
    expect(`${stepText(17, 118, 'zh')}${two.text}`).toBe(
      '第 17 步，共 118 步。包 1：node-1，PREROUTING，nat，KUBE-SEP-6UPWGGTAKQAHVD27，第 2 条，共 2 条。命中第 2 条，DNAT。' +
        '第 2 条没有地址条件，所以到达这条链的每个 TCP 包都会被送往 10.244.2.10:8080。',
    );
  });

  test('old value, then new value', () => {
    const e = event('pkt.rewrite', {
      packet,
      before: packet,
      how: 'dnat',
      fields: [{ field: 'dst', before: '10.96.10.10:80', after: '10.244.2.10:8080' }],
    });
    expect(narrate(e, { lang: 'en', spans }).changed).toBe('Destination was 10.96.10.10:80, is now 10.244.2.10:8080');
    expect(narrate(e, { lang: 'zh', spans }).changed).toBe('目的地址原为 10.96.10.10:80，现为 10.244.2.10:8080');
  });

  test('a rule that did not match says what it wants and what the packet has', () => {
    const miss = rule({
      number: 1,
      matched: false,
      matches: [
        { name: '! -s 10.244.0.0/16', ok: false, value: '10.244.1.100' },
        { name: '-d 10.96.10.10/32', ok: true, value: '10.96.10.10' },
      ],
    });
    expect(narrate(event('nf.rule', miss), { lang: 'en', spans }).why).toBe(
      'Rule 1 wants a source outside 10.244.0.0/16; the packet has 10.244.1.100',
    );
    expect(narrate(event('nf.rule', miss), { lang: 'zh', spans }).why).toBe(
      '第 1 条要求 10.244.0.0/16 以外的源地址，而包是 10.244.1.100',
    );
  });

  test('a draw that lost stands beside what it needed', () => {
    const lost = rule({
      number: 2,
      matched: false,
      draw: { value: Math.floor(0.731 * 2147483648) + 1, below: 1073741824 },
    });
    expect(narrate(event('nf.rule', lost), { lang: 'en', spans }).what).toBe(
      'Rule 2 drew 0.731 and needs less than 0.5: not matched',
    );
    expect(narrate(event('nf.rule', lost), { lang: 'zh', spans }).what).toBe('第 2 条抽得 0.731，需小于 0.5：未命中');
  });

  test('what did not change since the step before is left out', () => {
    const before = event('nf.skip', { chain: where.chain, first: 1, last: 1, count: 1, reason: 'src' });
    const text = narrate(event('nf.rule', rule({})), { lang: 'en', spans }, { before }).text;
    expect(text.startsWith('rule 2 of 2. Matched rule 2: DNAT.')).toBe(true);
  });

  test('a trace of a later version is named, not lost', () => {
    expect(narrate(event('bpf.ran', {}), { lang: 'zh', spans }).what).toBe('bpf.ran');
    expect(traceLine(event('bpf.ran', {}), { lang: 'en', spans })).toContain('bpf.ran');
  });

  test('both catalogues speak of the same kinds', () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  });
});

describe('numbers', () => {
  test('a draw is never printed as equal to the threshold it lost to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2147483647 }), fc.integer({ min: 1, max: 2147483647 }), (value, below) => {
        const { drew, needs } = drawText(value, below);
        if (value === below) return;
        expect(Number(drew) < Number(needs)).toBe(value < below);
      }),
    );
  });
  test('thousands', () => {
    expect([0, 999, 1000, 262144, -4212].map(num)).toEqual(['0', '999', '1,000', '262,144', '-4,212']);
  });
  test('a packet by its own words', () => {
    expect(packetKind(packet)).toBe('TCP SYN');
    expect(packetKind({ ...packet, l4: { ...tcp, flags: 18 } as { kind: string } })).toBe('TCP SYN, ACK');
    expect(
      packetKind({
        ...packet,
        l4: { ...tcp, flags: 24, payload: { len: 40, text: 'GET / HTTP/1.1\r\n' } } as { kind: string },
      }),
    ).toBe('GET /');
  });
});

describe('drop card', () => {
  test('cause, place and what programs print', () => {
    const e = event('pkt.drop', { packet, cause: { reason: 'rule', answered: 'icmp' }, symptom: 'refused' });
    const card = dropCard(e, { lang: 'en', spans }, { ip: '10.96.10.10', port: 80 });
    expect(card?.title).toBe('Rejected');
    expect(card?.client).toBe('10.244.1.100 sees "Connection refused" at once.');
    expect(card?.prints[0]).toBe(
      "curl: (7) Failed to connect to 10.96.10.10 port 80 after 0 ms: Couldn't connect to server",
    );
    expect(dropCard(e, { lang: 'zh', spans })?.client).toBe('10.244.1.100 立刻看到 “Connection refused”。');
    expect(dropCard(event('nf.skip', {}), { lang: 'en', spans })).toBeUndefined();
  });
});

describe('prose', () => {
  test('five tokens and nothing else', () => {
    expect(parseInline('**The [[bucket|bucket]]** of `10.96.10.10` drew *{draw}*', { draw: '0.731' })).toEqual([
      {
        type: 'strong',
        children: [
          { type: 'text', text: 'The ' },
          { type: 'term', id: 'bucket', text: 'bucket' },
        ],
      },
      { type: 'text', text: ' of ' },
      { type: 'code', text: '10.96.10.10' },
      { type: 'text', text: ' drew ' },
      { type: 'em', children: [{ type: 'value', name: 'draw', text: '0.731' }] },
    ]);
    const hostile = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) <script>';
    expect(parseInline(hostile)).toEqual([{ type: 'text', text: hostile }]);
  });
  test('paragraphs and lists', () => {
    expect(parseProse('One\ntwo.\n\n- a\n- b\n\n1. c').map((b) => b.type)).toEqual(['paragraph', 'list', 'list']);
    expect(plain('一行\n二行')).toBe('一行\n二行');
    expect(parseProse('一行\n二行')[0]).toEqual({ type: 'paragraph', children: [{ type: 'text', text: '一行二行' }] });
  });
  test('any text keeps its characters', () => {
    fc.assert(
      fc.property(fc.string(), (s) => {
        const inert = s.replace(/[*`[\]{}]/g, '');
        expect(plain(inert)).toBe(inert);
      }),
    );
  });
  test('names that a checker asks for', () => {
    expect(termIds('[[bucket]] and [[early-drop|made to leave]]')).toEqual(['bucket', 'early-drop']);
    expect(valueNames('{count} of {max} and {Not}')).toEqual(['count', 'max']);
  });
});

describe('glossary', () => {
  test('every term has a name and a definition in both languages', () => {
    expect(terms().length).toBeGreaterThan(200);
    for (const t of terms()) {
      for (const text of [t.name.en, t.name.zh, t.definition.en, t.definition.zh]) expect(text.trim()).not.toBe('');
    }
    expect(findTerm('early-drop')?.name.zh).toBe('提前淘汰');
  });
});
