import type { Program } from '../process';
import { curl, curl8 } from './curl/curl';
import { echo } from './echo';
import { http } from './http';
import { nc } from './nc';
import { ping } from './ping';

/** Programs by name, in the order of the list: servers first, then tools. */
export const programs: Readonly<Record<string, Program>> = {
  echo,
  http,
  curl,
  'curl-8.14.1': curl8,
  nc,
  ping,
};
