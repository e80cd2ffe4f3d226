import { describe, expect, test } from 'vitest';
import { parseMessage, rateLimit } from './messages';

const message = (type: unknown, payload?: unknown, more: object = {}) => ({
  ns: 'conntrail',
  v: 1,
  type,
  payload,
  ...more,
});

describe('messages from the page around an embed', () => {
  test.each([
    [message('play'), { type: 'play', id: undefined }],
    [message('step', { by: -1 }, { id: 'a' }), { type: 'step', by: -1, id: 'a' }],
    [message('seek', { step: 17 }), { type: 'seek', step: 17, id: undefined }],
    [message('setTheme', { theme: 'dark' }), { type: 'setTheme', theme: 'dark', id: undefined }],
  ])('%j is understood', (data, expected) => {
    expect(parseMessage(data)).toEqual(expected);
  });
  test.each([
    null,
    'play',
    42,
    { type: 'play' },
    message('eval', { code: '1' }),
    message('seek', { step: '17' }),
    message('seek', { step: -1 }),
    message('seek', { step: Number.NaN }),
    message('setTheme', { theme: 'x' }),
    { ...message('play'), v: 2 },
    message({ toString: 'play' }),
  ])('%j is none of ours', (data) => {
    expect(parseMessage(data)).toBeUndefined();
  });
  test('more than the limit in a second are not looked at', () => {
    let now = 0;
    const allow = rateLimit(2, () => now);
    expect([allow(), allow(), allow()]).toEqual([true, true, false]);
    now = 1000;
    expect(allow()).toBe(true);
  });
});
