import { CONTINUE, defineTarget } from '../xt';

/** xt_TRACE: sets the packet's trace bit (nf_trace). */
export const trace = defineTarget<Record<string, never>>({
  name: 'TRACE',
  options: [],
  tables: ['raw'],
  init: () => ({}),
  parse: () => undefined,
  print: () => '',
  list: () => '',
  run(_s, f) {
    f.skb.traced = true;
    return CONTINUE;
  },
});
