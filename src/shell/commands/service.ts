import { type Command, fail } from '../command';

export const service: Command = {
  name: 'service',
  usage: 'service SERVICE COMMAND',
  acts: () => false,
  run: (ctx) =>
    ctx.argv[1] === undefined
      ? fail('Usage: service < option > | --status-all | [ service_name [ command | --full-restart ] ]')
      : fail(`${ctx.argv[1]}: unrecognized service`),
};
