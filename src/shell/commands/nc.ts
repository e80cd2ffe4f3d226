import { type Program, programs } from '../../engine/workload';
import { client } from '../client';
import type { Command } from '../command';

/** nc(1), OpenBSD netcat 1.219. */
export const nc: Command = client({
  name: 'nc',
  usage: 'nc [-46CDdFhklNnrStUuvZz] [destination] [port]',
  program: () => programs.nc as Program,
  complete: ['-zv', '-u', '-l', '-p', '-w', '-N'],
});
