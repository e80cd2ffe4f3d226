import type { AnyTarget } from '../xt';
import { audit } from './audit';
import { connmark } from './connmark';
import { ct, notrack } from './ct';
import { dnat } from './dnat';
import { dscp } from './dscp';
import { log } from './log';
import { mark } from './mark';
import { masquerade } from './masquerade';
import { netmap } from './netmap';
import { nflog } from './nflog';
import { nfqueue } from './nfqueue';
import { redirect } from './redirect';
import { reject } from './reject';
import { setTarget } from './set';
import { snat } from './snat';
import { tcpmss } from './tcpmss';
import { trace } from './trace';
import { hl, ttl } from './ttl';

/** Every target that the model knows, beside ACCEPT, DROP, RETURN and chains: one file, one line. */
export const TARGETS: readonly AnyTarget[] = [
  audit,
  connmark,
  ct,
  dnat,
  dscp,
  hl,
  log,
  mark,
  masquerade,
  netmap,
  nflog,
  nfqueue,
  notrack,
  redirect,
  reject,
  setTarget,
  snat,
  tcpmss,
  trace,
  ttl,
];
