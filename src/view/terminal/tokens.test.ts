import { describe, expect, test } from 'vitest';
import type { TermLine } from '../../store/types';
import { addressed } from './tokens';

const line = (text: string, seq: number, kind: TermLine['kind'] = 'out'): TermLine => ({ text, seq, kind });
const lines = [
  line('conntrack -L', 3, 'in'),
  line('tcp 6 src=10.244.1.100', 3),
  line('conntrack -L', 9, 'in'),
  line('tcp 6 src=10.244.1.100', 9),
];

describe('what is selected in a terminal', () => {
  test('is the newest printed line that holds it', () => {
    expect(addressed(lines, ' src=10.244.1.100 ')).toEqual({ line: lines[3], token: 'src=10.244.1.100' });
  });
  test.each(['', '  ', 'conntrack', 'not printed'])('%j is nothing that was printed', (selected) => {
    expect(addressed(lines, selected)).toBeUndefined();
  });
});
