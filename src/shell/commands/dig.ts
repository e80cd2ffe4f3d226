import { dig as program } from '../../engine/dns';
import { client } from '../client';
import type { Command } from '../command';

/** dig(1) of BIND 9.18. */
export const dig: Command = client({
  name: 'dig',
  usage: 'dig [@server] [name] [type] [+option]...',
  program: () => program,
  complete: ['@', '+short', '+search', '+tcp', '+noall', '+answer', '-x'],
});
