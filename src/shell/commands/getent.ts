import { type Program, resolve, reverse } from '../../engine/workload';
import { type Command, type CommandCtx, type CommandResult, fail, type Running } from '../command';
import { getopt } from '../format/getopt';

/** getent(1) for hosts, ahosts and ahostsv4: the system's own resolver asked directly. */
const lookup: Program = function* (sys) {
  const [, database = '', ...keys] = sys.argv;
  let exit = 0;
  for (const key of keys) {
    if (/^[\d.]+$/.test(key) && database === 'hosts') {
      const name = yield* reverse(sys, key);
      if (name === undefined) exit = 2;
      else sys.write(1, `${key.padEnd(15)} ${name}\n`);
      continue;
    }
    const r = yield* resolve(sys, key);
    if (!r.ok) {
      exit = 2;
      continue;
    }
    if (database === 'hosts') {
      for (const ip of r.addrs) sys.write(1, `${ip.padEnd(15)} ${r.canonical.replace(/\.$/, '')}\n`);
      continue;
    }
    r.addrs.forEach((ip, i) => {
      const name = i === 0 ? r.canonical.replace(/\.$/, '') : '';
      sys.write(1, `${ip.padEnd(15)} STREAM ${name}\n${ip.padEnd(15)} DGRAM  \n${ip.padEnd(15)} RAW    \n`);
    });
  }
  return exit;
};

function run(ctx: CommandCtx): CommandResult | Running {
  const { args, error } = getopt(ctx.argv, {
    short: 'is:',
    long: { 'no-idn': false, service: true, help: false, version: false },
  });
  if (error) return fail(`getent: ${error}\nTry \`getent --help' or \`getent --usage' for more information.`, 64);
  const [database, ...keys] = args;
  if (database === undefined)
    return fail("getent: wrong number of arguments\nTry `getent --help' or `getent --usage' for more information.", 64);
  if (!['hosts', 'ahosts', 'ahostsv4'].includes(database)) {
    return fail(`Unknown database: ${database}\nTry \`getent --help' or \`getent --usage' for more information.`, 1);
  }
  if (keys.length === 0) return { stdout: ctx.place.files['/etc/hosts'] ?? '', stderr: '', exit: 0 };
  return { program: lookup, argv: ['getent', database, ...keys] };
}

export const getent: Command = {
  name: 'getent',
  usage: 'getent database [key ...]',
  acts: () => true,
  run,
  complete: () => ['hosts', 'ahosts', 'ahostsv4'],
};
