import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from './args';
import { runScenario } from './run';
import { runTrace } from './trace';
import { runTruth } from './truth';

const USAGE = `conntrail: a Kubernetes packet path without a browser

  conntrail trace OBJECTS.yaml --from PLACE --to URL [--json] [--lang en|zh] [--seed N]
      applies the objects to a three-node cluster, sends one curl from PLACE (a pod's name, namespace/name,
      node-1, outside) and prints each step of its first connection
  conntrail run SCENARIO.yaml...
      plays a scenario's solutions and near misses; exit 1 when one does not end as it must
  conntrail truth [DIR] [--only GLOB]... [--strict] [--json]
      replays recorded truth; the last line counts
`;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const usage = (problem?: string): number => {
  process.stderr.write(problem === undefined ? USAGE : `conntrail: ${problem}\n\n${USAGE}`);
  return 2;
};

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  switch (command) {
    case 'trace': {
      const a = parseArgs(rest, { flags: ['json'], values: ['from', 'to', 'lang', 'seed'] });
      if (typeof a === 'string') return usage(a);
      const [objects] = a.rest;
      const from = a.values.from?.[0];
      const to = a.values.to?.[0];
      const lang = a.values.lang?.[0] ?? 'en';
      const seed = Number(a.values.seed?.[0] ?? '1');
      if (objects === undefined || from === undefined || to === undefined)
        return usage('trace needs OBJECTS.yaml, --from and --to');
      if (lang !== 'en' && lang !== 'zh') return usage('--lang is en or zh');
      if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
        return usage('--seed is an integer from 0 to 4294967295');
      if (!existsSync(objects)) return usage(`${objects}: no such file`);
      return runTrace({ objects, from, to, lang, seed, json: a.flags.has('json') }, print);
    }
    case 'run': {
      if (rest.length === 0) return usage('run needs a scenario');
      let worst = 0;
      for (const file of rest)
        worst = Math.max(worst, existsSync(file) ? await runScenario(file, print) : usage(`${file}: no such file`));
      return worst;
    }
    case 'truth': {
      const a = parseArgs(rest, { flags: ['strict', 'json'], values: ['only'] });
      if (typeof a === 'string') return usage(a);
      const own = a.rest.length === 0;
      const list = 'truth/known.txt';
      return runTruth(
        {
          dir: a.rest[0] ?? 'truth',
          only: a.values.only ?? [],
          strict: a.flags.has('strict'),
          json: a.flags.has('json'),
          known: own && existsSync(list) ? readFileSync(list, 'utf8') : undefined,
        },
        print,
      );
    }
    case '--help':
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    default:
      return usage(command === undefined ? undefined : `no command ${command}`);
  }
}

process.exitCode = await main(process.argv.slice(2));
