import { type Command, type CommandCtx, type CommandResult, fail, out } from '../command';
import { interfaces } from './ip/model';

/** First address of a name in a hosts file. */
function fromHosts(text: string, name: string): string | undefined {
  for (const line of text.split('\n')) {
    const [ip, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (ip && names.includes(name)) return ip;
  }
  return undefined;
}

function run(ctx: CommandCtx): CommandResult {
  const flag = ctx.argv[1];
  const name = ctx.place.hostname;
  if (flag === undefined || flag === '-s' || flag === '--short') return out(`${name}\n`);
  if (flag === '-f' || flag === '--fqdn' || flag === '--long') return out(`${name}\n`);
  if (flag === '-d' || flag === '--domain') return out('\n');
  if (flag === '-i' || flag === '--ip-address') {
    const ip = fromHosts(ctx.place.files['/etc/hosts'] ?? '', name);
    return ip === undefined ? fail('hostname: Name or service not known') : out(`${ip}\n`);
  }
  if (flag === '-I' || flag === '--all-ip-addresses') {
    const ips =
      ctx.place.netns === undefined
        ? []
        : interfaces(ctx.reader, ctx.place.netns)
            .filter((d) => d.kind !== 'lo' && d.up)
            .flatMap((d) => d.addrs.map((a) => a.ip));
    return out(`${ips.map((i) => `${i} `).join('')}\n`);
  }
  if (flag.startsWith('-')) return fail(`hostname: invalid option -- '${flag.replace(/^-+/, '').charAt(0)}'`, 255);
  return fail('hostname: you must be root to change the host name');
}

export const hostname: Command = { name: 'hostname', usage: 'hostname [-s|-f|-i|-I]', acts: () => false, run };
