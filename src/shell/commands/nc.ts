import { type Program, programs } from '../../engine/workload';
import type { Command } from '../command';
import { client } from '../client';

/** nc(1), OpenBSD netcat 1.219. */
export const nc: Command = client({
  name: 'nc',
  usage: 'nc [-46CDdFhklNnrStUuvZz] [destination] [port]',
  program: () => programs.nc as Program,
  complete: ['-zv', '-u', '-l', '-p', '-w', '-N'],
});
