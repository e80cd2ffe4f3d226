import { host as program } from '../../engine/dns';
import { client } from '../client';
import type { Command } from '../command';

/** host(1) of BIND 9.18. */
export const host: Command = client({
  name: 'host',
  usage: 'host [-v] [-t type] name [server]',
  program: () => program,
  complete: ['-t', '-v', '-W'],
});
