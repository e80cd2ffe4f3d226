import { getent as program } from '../../engine/dns';
import { type Command, type CommandCtx, type CommandResult, fail, type Running } from '../command';
import { getopt } from '../format/getopt';

function run(ctx: CommandCtx): CommandResult | Running {
  const { args, error } = getopt(ctx.argv, {
    short: 'is:',
    long: { 'no-idn': false, service: true, help: false, version: false },
  });
  if (error) return fail(`getent: ${error}\nTry \`getent --help' or \`getent --usage' for more information.`, 64);
  const [database, ...keys] = args;
  if (database === undefined)
    return fail("getent: wrong number of arguments\nTry `getent --help' or `getent --usage' for more information.", 64);
  if (!['hosts', 'ahosts', 'ahostsv4', 'ahostsv6'].includes(database)) {
    return fail(`Unknown database: ${database}\nTry \`getent --help' or \`getent --usage' for more information.`, 1);
  }
  if (keys.length === 0) return { stdout: ctx.place.files['/etc/hosts'] ?? '', stderr: '', exit: 0 };
  return { program, argv: ['getent', database, ...keys] };
}

export const getent: Command = {
  name: 'getent',
  usage: 'getent database [key ...]',
  acts: () => true,
  run,
  complete: () => ['hosts', 'ahosts', 'ahostsv4', 'ahostsv6'],
};
