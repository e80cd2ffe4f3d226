import { ipFamily } from '../../../base/ip';
import { isRcodeName } from '../../message';
import { isDomainName } from '../../names';
import { CorefileError } from '../corefile';
import { atoi, durationText, parseDuration } from '../duration';
import { normalHosts, splitTransport } from '../normalize';
import { type Controller, logLine } from '../plugin';
import { resolvConfServers } from '../resolvconf';

/** Arguments of the forward plugin. */
export interface ForwardOptions {
  from: string;
  except: string[];
  maxFails: number;
  maxConnectAttempts: number | undefined;
  hcIntervalUs: number;
  hcRecursion: boolean;
  hcDomain: string;
  forceTcp: boolean;
  preferUdp: boolean;
  expireUs: number;
  maxAgeUs: number;
  maxIdle: number;
  readTimeoutUs: number;
  policy: 'random' | 'round_robin' | 'sequential';
  maxConcurrent: number;
  next: string[];
  nextOnNodata: boolean;
  failfast: boolean;
  failover: string[];
}

function defaults(): ForwardOptions {
  return {
    from: '.',
    except: [],
    maxFails: 2,
    maxConnectAttempts: undefined,
    hcIntervalUs: 500_000,
    hcRecursion: true,
    hcDomain: '.',
    forceTcp: false,
    preferUdp: false,
    expireUs: 10_000_000,
    maxAgeUs: 0,
    maxIdle: 0,
    readTimeoutUs: 2_000_000,
    policy: 'random',
    maxConcurrent: 0,
    next: [],
    nextOnNodata: false,
    failfast: false,
    failover: [],
  };
}

/** Reads one forward stanza: FROM, TO... and its block. */
export function parseForward(c: Controller): { options: ForwardOptions; to: string[] } {
  const o = defaults();
  if (!c.nextArg()) throw c.argErr();
  const from = c.val();
  const zones = normalHosts(from);
  if (zones.length === 0) throw new CorefileError(`unable to normalize '${from}'`);
  o.from = zones[0] as string;
  if (zones.length > 1)
    logLine(
      c.env,
      'WARNING',
      'forward',
      `Unsupported CIDR notation: '${from}' expands to multiple zones. Using only '${o.from}'.`,
    );
  const to = c.remainingArgs();
  if (to.length === 0) throw c.argErr();
  while (c.nextBlock()) parseOption(c, o);
  if (o.maxAgeUs > 0 && o.maxAgeUs < o.expireUs)
    throw new CorefileError(
      `max_age (${durationText(o.maxAgeUs)}) must not be less than expire (${durationText(o.expireUs)})`,
    );
  return { options: o, to };
}

function duration(c: Controller): number {
  if (!c.nextArg()) throw c.argErr();
  const us = parseDuration(c.val());
  if (us === undefined) throw new CorefileError(`time: invalid duration ${JSON.stringify(c.val())}`);
  return us;
}
function count(c: Controller): number {
  if (!c.nextArg()) throw c.argErr();
  const n = atoi(c.val());
  if (typeof n === 'string') throw new CorefileError(n);
  return n;
}
function unsigned(c: Controller): number {
  if (!c.nextArg()) throw c.argErr();
  if (!/^[0-9]+$/.test(c.val()))
    throw new CorefileError(`strconv.ParseUint: parsing ${JSON.stringify(c.val())}: invalid syntax`);
  return Number(c.val());
}
function flag(c: Controller): void {
  if (c.nextArg()) throw c.argErr();
}
function rcodes(c: Controller): string[] {
  const args = c.remainingArgs();
  if (args.length === 0) throw c.argErr();
  return args.map((a) => {
    if (!isRcodeName(a.toUpperCase())) throw new CorefileError(`${a} is not a valid rcode`);
    return a.toUpperCase();
  });
}

function parseOption(c: Controller, o: ForwardOptions): void {
  const name = c.val();
  switch (name) {
    case 'except': {
      const args = c.remainingArgs();
      if (args.length === 0) throw c.argErr();
      o.except.push(...args.flatMap(normalHosts));
      return;
    }
    case 'max_fails':
      o.maxFails = unsigned(c);
      return;
    case 'max_connect_attempts':
      o.maxConnectAttempts = unsigned(c);
      return;
    case 'health_check': {
      const us = duration(c);
      if (us < 0) throw new CorefileError(`health_check can't be negative: ${us * 1000}`);
      o.hcIntervalUs = us;
      o.hcDomain = '.';
      while (c.nextArg()) {
        if (c.val() === 'no_rec') o.hcRecursion = false;
        else if (c.val() === 'domain') {
          if (!c.nextArg()) throw c.argErr();
          if (!isDomainName(c.val())) throw new CorefileError(`health_check: invalid domain name ${c.val()}`);
          o.hcDomain = normalHosts(c.val())[0] ?? '.';
        } else throw new CorefileError(`health_check: unknown option ${c.val()}`);
      }
      return;
    }
    case 'force_tcp':
      flag(c);
      o.forceTcp = true;
      return;
    case 'prefer_udp':
      flag(c);
      o.preferUdp = true;
      return;
    case 'tls': {
      if (c.remainingArgs().length > 3) throw c.argErr();
      return;
    }
    case 'tls_servername':
    case 'doh_method':
    case 'source_address':
      if (!c.nextArg()) throw c.argErr();
      return;
    case 'resolver':
      if (c.remainingArgs().length === 0) throw c.argErr();
      return;
    case 'expire': {
      o.expireUs = duration(c);
      if (o.expireUs < 0) throw new CorefileError(`expire can't be negative: ${durationText(o.expireUs)}`);
      return;
    }
    case 'max_age': {
      o.maxAgeUs = duration(c);
      if (o.maxAgeUs < 0) throw new CorefileError(`max_age can't be negative: ${durationText(o.maxAgeUs)}`);
      return;
    }
    case 'max_idle_conns': {
      o.maxIdle = count(c);
      if (o.maxIdle < 0) throw new CorefileError(`max_idle_conns can't be negative: ${o.maxIdle}`);
      return;
    }
    case 'read_timeout': {
      o.readTimeoutUs = duration(c);
      if (o.readTimeoutUs <= 0)
        throw new CorefileError(`read_timeout must be positive: ${durationText(o.readTimeoutUs)}`);
      return;
    }
    case 'policy': {
      if (!c.nextArg()) throw c.argErr();
      const p = c.val();
      if (p !== 'random' && p !== 'round_robin' && p !== 'sequential') throw c.err(`unknown policy '${p}'`);
      o.policy = p;
      return;
    }
    case 'max_concurrent': {
      o.maxConcurrent = count(c);
      if (o.maxConcurrent < 0) throw new CorefileError(`max_concurrent can't be negative: ${o.maxConcurrent}`);
      return;
    }
    case 'next':
      o.next.push(...rcodes(c));
      return;
    case 'next_on_nodata':
      flag(c);
      o.nextOnNodata = true;
      return;
    case 'failfast_all_unhealthy_upstreams':
      if (c.remainingArgs().length > 0) throw c.argErr();
      o.failfast = true;
      return;
    case 'failover': {
      const codes = rcodes(c);
      if (codes.includes('NOERROR')) throw new CorefileError('NoError cannot be used in failover');
      o.failover.push(...codes);
      return;
    }
    default:
      throw c.err(`unknown property '${name}'`);
  }
}

/** Addresses of the TO arguments: addresses with or without port, or files in the form of resolv.conf. */
export function upstreams(c: Controller, to: readonly string[]): { ip: string; port: number }[] {
  const out: { ip: string; port: number }[] = [];
  const add = (ip: string, port: number): void => {
    if (!out.some((o) => o.ip === ip && o.port === port)) out.push({ ip, port });
  };
  for (const arg of to) {
    const { transport, host } = splitTransport(arg);
    if (transport !== 'dns' && transport !== 'tls' && transport !== 'https')
      throw new CorefileError(`'${transport}' is not supported as a destination protocol in forward: ${arg}`);
    if (host === '') throw new CorefileError(`invalid address: ${JSON.stringify(arg)}`);
    const m = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]+)$/.exec(host);
    const bare = host.replace(/^\[|\]$/g, '');
    if (ipFamily(bare) !== undefined) add(bare, transport === 'tls' ? 853 : 53);
    else if (m && ipFamily((m[1] ?? m[2]) as string) !== undefined) add((m[1] ?? m[2]) as string, Number(m[3]));
    else {
      const text = c.env.sys.readFile(host);
      if (text === undefined)
        throw new CorefileError(
          `not an IP address or file ${JSON.stringify(host)}: failed to open file ${JSON.stringify(host)}: ` +
            JSON.stringify(`open ${host}: no such file or directory`),
        );
      for (const s of resolvConfServers(text)) add(s, 53);
    }
  }
  if (out.length === 0) throw new CorefileError('no valid upstream addresses found');
  return out;
}
