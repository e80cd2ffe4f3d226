import { ipFamily } from '../../../base/ip';
import { replyTo } from '../../message';
import { instant } from '../../tasks';
import { OK, type PluginSpec } from '../plugin';

/** Tells the client its own address and port in the additional section (plugin/whoami). */
export const whoami: PluginSpec = {
  name: 'whoami',
  setup(c) {
    c.addPlugin(() => ({
      name: 'whoami',
      serve: (_ctx, w, r) =>
        instant(() => {
          const m = replyTo(r);
          m.aa = true;
          const q = r.question[0];
          const name = q?.name ?? '.';
          const cls = q?.class ?? 'IN';
          const { ip, port, proto } = w.peer;
          const owner = name === '.' ? `_${proto}.` : `_${proto}.${name}`;
          m.additional = [
            { name, ttl: 0, class: cls, type: ipFamily(ip) === 6 ? 'AAAA' : 'A', rdata: ip },
            { name: owner, ttl: 0, class: cls, type: 'SRV', rdata: `0 0 ${port} .` },
          ];
          w.write(m);
          return OK;
        }),
    }));
  },
};
