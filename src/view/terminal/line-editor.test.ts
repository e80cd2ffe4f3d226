import { describe, expect, test } from 'vitest';
import { columns, completeWith, type EditLine, EMPTY, insert, keyOf, keysIn } from './line-editor';

const HISTORY = ['kubectl get svc', 'iptables -t nat -S', 'curl http://web'];

function type(data: string, from: EditLine = EMPTY): EditLine {
  return keysIn(data).reduce((line, key) => keyOf(line, key, HISTORY)[0], from);
}

describe('keys of the line', () => {
  test.each([
    { name: 'text goes in at the caret', keys: 'curl\x1b[D\x1b[D-', text: 'cu-rl', at: 3 },
    { name: 'Ctrl-A and Ctrl-E go to the ends', keys: 'web\x01x\x05y', text: 'xweby', at: 5 },
    { name: 'Home and End as well', keys: 'web\x1b[Hx\x1b[Fy', text: 'xweby', at: 5 },
    { name: 'backspace and delete take one', keys: 'abc\x7f\x01\x1b[3~', text: 'b', at: 0 },
    {
      name: 'Ctrl-W takes the word up to a blank, Ctrl-Y gives it back',
      keys: 'get svc/web\x17\x19\x19',
      text: 'get svc/websvc/web',
      at: 18,
    },
    { name: 'Ctrl-U takes what stands before the caret', keys: 'abc def\x1bb\x15', text: 'def', at: 0 },
    { name: 'Ctrl-K takes what stands behind it', keys: 'abc def\x1bb\x0b', text: 'abc ', at: 4 },
    { name: 'Alt-D takes the next word', keys: 'abc def\x01\x1bd', text: ' def', at: 0 },
    { name: 'the last word of the line before', keys: 'nc \x1b.', text: 'nc http://web', at: 13 },
    {
      name: 'up goes through the history, down comes back to the own line',
      keys: 'x\x1b[A\x1b[A\x1b[B\x1b[B',
      text: 'x',
      at: 1,
    },
    { name: 'up twice', keys: '\x1b[A\x1b[A', text: 'iptables -t nat -S', at: 18 },
    { name: 'an unknown sequence changes nothing', keys: 'a\x1b[15~b', text: 'ab', at: 2 },
  ])('$name', ({ keys, text, at }) => {
    expect(type(keys)).toMatchObject({ text, at });
  });

  test('Ctrl-R finds older lines, Enter runs the one found', () => {
    const searching = type('\x12k');
    expect(searching.search).toEqual({ query: 'k', found: 0 });
    expect(keyOf(type('\x12t'), '\x12', HISTORY)[0].search).toEqual({ query: 't', found: 1 });
    expect(keyOf(searching, '\r', HISTORY)[1]).toEqual({ do: 'submit', line: 'kubectl get svc' });
  });

  test('Enter submits and leaves an empty line', () => {
    const [line, effect] = keyOf(type('ls'), '\r', HISTORY);
    expect(effect).toEqual({ do: 'submit', line: 'ls' });
    expect(line.text).toBe('');
  });

  test('Ctrl-D leaves on an empty line and deletes on another', () => {
    expect(keyOf(EMPTY, '\x04', HISTORY)[1]).toEqual({ do: 'leave' });
    expect(keyOf(type('ab\x01'), '\x04', HISTORY)[0].text).toBe('b');
  });
});

describe('completion', () => {
  test('one candidate is put in with a blank behind it', () => {
    expect(completeWith(insert(EMPTY, 'kubectl g'), ['get']).line.text).toBe('kubectl get ');
  });
  test('several extend to what they share, then are listed', () => {
    const line = completeWith(insert(EMPTY, 'kubectl get p'), ['pods', 'podtemplates']).line;
    expect(line.text).toBe('kubectl get pod');
    expect(completeWith(line, ['pods', 'podtemplates'])).toEqual({ line, list: true });
  });
  test('none leaves the line', () => {
    const line = insert(EMPTY, 'zzz');
    expect(completeWith(line, [])).toEqual({ line, list: false });
  });
});

test('wide characters take two columns', () => {
  expect(columns('node-1')).toBe(6);
  expect(columns('第 1 步')).toBe(7);
});
