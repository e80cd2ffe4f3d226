import { nslookup as program } from '../../engine/dns';
import { client } from '../client';
import type { Command } from '../command';

/** nslookup(1) of BIND 9.18; busybox has its own. */
export const nslookup: Command = client({
  name: 'nslookup',
  usage: 'nslookup [-type=type] name [server]',
  program: () => program,
  complete: ['-type=', '-debug'],
});
