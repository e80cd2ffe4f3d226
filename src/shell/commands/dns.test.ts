import { beforeAll, describe, expect, it } from 'vitest';
import { openTerminal, pod, SMALL, type Terminal } from '../../testing/terminal';

let t: Terminal;
beforeAll(() => {
  t = openTerminal(SMALL);
});

describe('names of the cluster as the tools find them', () => {
  it('dig asks for the name as it stands unless told to search', async () => {
    expect(await t.out(pod('client'), 'dig +short web')).toBe('');
    expect(await t.out(pod('client'), 'dig +short +search web')).toMatch(/^10\.96\.\d+\.\d+\n$/);
    expect(await t.out(pod('client'), 'dig +noall +comments nosuch.default.svc.cluster.local')).toContain(
      'status: NXDOMAIN',
    );
  });

  it('host and nslookup search; getent asks the C library', async () => {
    expect(await t.out(pod('client'), 'host web')).toMatch(/^web\.default\.svc\.cluster\.local has address 10\.96\./);
    expect(await t.out(pod('client'), 'nslookup web')).toContain(
      'Name:\tweb.default.svc.cluster.local\nAddress: 10.96.',
    );
    expect(await t.out(pod('client'), 'getent hosts web')).toMatch(
      /^10\.96\.\S+ +web\.default\.svc\.cluster\.local\n$/,
    );
    expect((await t.type(pod('client'), 'getent hosts nosuch')).exit).toBe(2);
  });
});
