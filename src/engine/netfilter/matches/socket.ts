import { opt } from '../match-util';
import { defineMatch } from '../xt';

interface SocketSpec {
  transparent?: boolean;
  nowildcard?: boolean;
  restoreMark?: boolean;
}

/** xt_socket: an open socket of this namespace would take the packet. Sockets of the model are never transparent. */
export const socket = defineMatch<SocketSpec>({
  name: 'socket',
  options: [opt('transparent', 0, false), opt('nowildcard', 0, false), opt('restore-skmark', 0, false)],
  hidden: true,
  init: () => ({}),
  parse(s, o) {
    if (o === 'transparent') s.transparent = true;
    else if (o === 'nowildcard') s.nowildcard = true;
    else s.restoreMark = true;
  },
  print: (s) =>
    [
      ...(s.transparent ? ['--transparent'] : []),
      ...(s.nowildcard ? ['--nowildcard'] : []),
      ...(s.restoreMark ? ['--restore-skmark'] : []),
    ].join(' '),
  list(s, ctx) {
    return `socket ${this.print(s, ctx)}`.trimEnd();
  },
  compile: (s, env) => (f) => !s.transparent && env.net.findSocket(env.netns, f.packet) !== undefined,
  value: (_s, f, env) => env.net.findSocket(env.netns, f.packet) ?? '',
});
