import { type Command, fail } from '../command';

/** systemd is installed but not PID 1 on a node of the model: there are no units to ask for. */
export const systemctl: Command = {
  name: 'systemctl',
  usage: 'systemctl [OPTIONS...] COMMAND ...',
  acts: () => false,
  run: () =>
    fail(
      "System has not been booted with systemd as init system (PID 1). Can't operate.\nFailed to connect to bus: Host is down",
    ),
};
