import { describe, expect, test } from 'vitest';
import { embedParams } from './params';

const read = (search: string, hash = '') => embedParams({ search, hash });

describe('parameters of an embed', () => {
  test('what is asked for is taken', () => {
    expect(read('?embed=1&scenario=first-packet&step=17&lang=zh&theme=dark&view=stage&speed=2&ctl=1')).toMatchObject({
      scenario: 'first-packet',
      step: 17,
      lang: 'zh',
      theme: 'dark',
      view: 'stage',
      speed: 2,
      click: true,
      unknown: [],
    });
  });
  test('without anything there are defaults', () => {
    expect(read('?embed')).toMatchObject({
      scenario: undefined,
      step: undefined,
      theme: 'auto',
      view: 'rules',
      speed: 1,
    });
  });
  test.each([
    ['theme', 'blue'],
    ['step', '-1'],
    ['step', 'NaN'],
    ['speed', '1000'],
    ['lang', 'fr'],
    ['hide', 'everything'],
  ])('%s=%s falls back and is named', (name, value) => {
    expect(read(`?embed=1&${name}=${value}`).unknown).toEqual([{ name, value }]);
  });
  test('a scenario with signs that no id has is none', () => {
    expect(read('?embed=1&scenario=../x').scenario).toBeUndefined();
  });
  test('a world in the fragment is kept as it is', () => {
    expect(read('?embed=1', '#s=abc').fragment).toBe('#s=abc');
    expect(read('?embed=1', '#elsewhere').fragment).toBeUndefined();
  });
});
