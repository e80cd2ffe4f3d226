import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorLine, loadScenario } from './load';

const folder = fileURLToPath(new URL('../../scenarios/', import.meta.url));
const first = readFileSync(`${folder}first-packet.yaml`, 'utf8');
const errors = (text: string): readonly string[] => {
  const r = loadScenario('x.yaml', text);
  return r.ok ? [] : r.errors.map(errorLine);
};

describe('scenario loader', () => {
  test.each(readdirSync(folder).filter((f) => f.endsWith('.yaml')))('%s loads', (file) => {
    const r = loadScenario(file, readFileSync(folder + file, 'utf8'));
    expect(r.ok ? [] : r.errors.map(errorLine)).toEqual([]);
    expect(r.ok && `${r.scenario.id}.yaml`).toBe(file);
  });

  test('an unknown field is an error at its line', () => {
    const text = first.replace('\nminutes: 10\n', '\nminutes: 10\ncolour: red\n');
    expect(errors(text)).toEqual([
      'x.yaml:7:1: colour: unknown field colour (expected a field of the scenario format)',
    ]);
  });

  test('a missing field, a wrong type, a wrong value, each with line and what was expected', () => {
    expect(errors(first.replace(/\nseed: 21/, ''))[0]).toMatch(
      /^x.yaml:1:1: seed: the field is missing \(expected .*number/,
    );
    expect(errors(first.replace('minutes: 10', 'minutes: ten'))[0]).toMatch(
      /^x.yaml:6:10: minutes: the value is of type string \(expected .*(int|number)/,
    );
    expect(errors(first.replace('profile: three-nodes', 'profile: two-nodes'))[0]).toMatch(
      /cluster.profile: the value is "two-nodes" \(expected "three-nodes"\)/,
    );
    expect(errors(first.replace('zh: 第一个包 }', '}'))[0]).toMatch(/title.zh: the field is missing/);
  });

  test('a field inside a question names its whole path', () => {
    const line = errors(
      first.replace('    at: { kind: pkt.made, packet: 3 }', '    at: { kind: pkt.made, paket: 3 }'),
    )[0];
    expect(line).toMatch(/^x.yaml:\d+:\d+: questions.2.at.paket: unknown field paket/);
  });

  test('a name that refers to nothing is an error', () => {
    expect(errors(first.replace('check: { pins: [choice] }', 'check: { pins: [chioce] }'))[0]).toMatch(
      /goals.0.check.pins.0: there is no slot chioce \(expected one of choice, rewrite, memory\)/,
    );
    expect(errors(first.replace('kind: service-chain }', 'kind: svc-chain }'))[0]).toMatch(
      /there is no option of kind svc-chain/,
    );
  });

  test('YAML that does not parse, a bomb, a long file', () => {
    expect(errors('a: [1,\nb: 2')[0]).toMatch(/^x.yaml:\d+:\d+: .*expected YAML that parses/);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]`;
    expect(errors(bomb)[0]).toMatch(/few of them/);
    expect(errors(`# ${'x'.repeat(500_000)}`)[0]).toMatch(/at most/);
  });
});
