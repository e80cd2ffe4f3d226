import type { Program } from '../process';
import { busybox, busybox137 } from './busybox/applets';
import { curl, curl8 } from './curl/curl';
import { echo } from './echo';
import { faulty } from './faulty';
import { http } from './http';
import { nc } from './nc';
import { ping, ping13 } from './ping';
import { telnet } from './telnet';
import { traceroute } from './traceroute';
import { wget, wget125 } from './wget';

/** Programs by name, in the order of the list: servers first, then tools. */
export const programs: Readonly<Record<string, Program>> = {
  echo,
  http,
  faulty,
  curl,
  'curl-8.14.1': curl8,
  nc,
  ping,
  'ping-20240905': ping13,
  telnet,
  traceroute,
  wget,
  'wget-1.25.0': wget125,
  busybox,
  'busybox-1.37.0': busybox137,
};
