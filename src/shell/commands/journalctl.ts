import type { Command } from '../command';

/** No journal is kept on a node of the model; the control plane's and kube-proxy's logs are events. */
export const journalctl: Command = {
  name: 'journalctl',
  usage: 'journalctl [OPTIONS...]',
  acts: () => false,
  run: () => ({ stdout: '-- No entries --\n', stderr: 'No journal files were found.\n', exit: 0 }),
};
