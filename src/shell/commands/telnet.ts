import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** telnet(1) of GNU inetutils 2.4. */
export const telnet: Command = client({
  name: 'telnet',
  usage: 'telnet host-name [port]',
  program: () => programs.telnet as Program,
  complete: [],
});
