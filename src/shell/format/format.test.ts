import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columns } from './columns';
import { strerror } from './errno';
import { getopt } from './getopt';
import { serviceName, servicePort } from './services';
import { tabulate } from './tabwriter';
import { calendar, formatCtime, formatRfc1123z, humanDuration, parseRfc3339, strftime } from './time';

describe('text/tabwriter', () => {
  it('cells of adjacent lines share a width', () => {
    expect(tabulate('a\tbb\tc\nlonger\tb\tc\n', 0, 2)).toBe('a       bb  c\nlonger  b   c\n');
    // A line without the column ends its block.
    expect(tabulate('a\tb\nx\ncc\td\n', 0, 1)).toBe('a b\nx\ncc d\n');
  });
  it('columns', () => {
    expect(
      columns(
        [
          ['a', 1],
          ['bbb', 22],
        ],
        2,
        [1],
      ),
    ).toBe('a     1\nbbb  22\n');
  });
});

describe('time', () => {
  it('reads and writes the same moment', () => {
    const t = parseRfc3339('2026-11-30T21:35:06Z') as number;
    expect(formatRfc1123z(t)).toBe('Mon, 30 Nov 2026 21:35:06 +0000');
    expect(formatCtime(t)).toBe('Mon Nov 30 21:35:06 2026');
    expect(strftime('%Y-%m-%dT%H:%M:%S %a %j %s %%', t)).toBe(`2026-11-30T21:35:06 Mon 334 ${t} %`);
    expect(parseRfc3339('yesterday')).toBeUndefined();
  });
  it('property: the calendar is the one of Gregory', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (s) => {
        const iso = new Date(s * 1000).toISOString();
        const c = calendar(s);
        expect(`${c.year}-${String(c.month).padStart(2, '0')}-${String(c.day).padStart(2, '0')}`).toBe(
          iso.slice(0, 10),
        );
        expect(parseRfc3339(`${iso.slice(0, 19)}Z`)).toBe(s);
      }),
    );
  });
  it('ages as kubectl writes them', () => {
    const ages = [5, 119, 120, 185, 600, 3599, 3600, 10_799, 28_800, 90_000, 172_800, 691_200, 63_072_000];
    expect(ages.map(humanDuration)).toEqual([
      '5s',
      '119s',
      '2m',
      '3m5s',
      '10m',
      '59m',
      '60m',
      '179m',
      '8h',
      '25h',
      '2d',
      '8d',
      '2y',
    ]);
  });
});

describe('small tables', () => {
  it('names of services and errors', () => {
    expect(serviceName(8080, 'tcp')).toBe('http-alt');
    expect(servicePort('domain', 'udp')).toBe(53);
    expect(serviceName(9, 'tcp')).toBe('discard');
    expect(strerror('ECONNREFUSED')).toBe('Connection refused');
  });
  it('getopt joins, splits and complains like glibc', () => {
    const spec = { short: 'ab:', long: { all: false, name: true } };
    expect(getopt(['x', '-ab', 'v', '--name=n', 'rest'], spec)).toMatchObject({ args: ['rest'] });
    expect(getopt(['x', '-z'], spec).error).toBe("invalid option -- 'z'");
    expect(getopt(['x', '--nope'], spec).error).toBe("unrecognized option '--nope'");
    expect(getopt(['x', '-b'], spec).error).toBe("option requires an argument -- 'b'");
  });
});
