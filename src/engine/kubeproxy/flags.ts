import { type Cidr, parseCidr } from '../base/ip';
import { err, ok, type Result } from '../base/result';

export type ProxyModeName = 'iptables' | 'nftables' | 'ipvs';
export type DetectLocalMode = 'ClusterCIDR' | 'NodeCIDR' | 'BridgeInterface' | 'InterfaceNamePrefix';

/** What kube-proxy's flags say, with its defaults. Durations in us. */
export interface ProxyConfig {
  readonly mode: ProxyModeName;
  /** No --proxy-mode given: iptables, with a word in the log. */
  readonly modeUnset: boolean;
  readonly hostname: string;
  readonly clusterCidrs: readonly Cidr[];
  readonly detectLocal: DetectLocalMode;
  readonly bridge: string;
  readonly interfacePrefix: string;
  readonly masqueradeAll: boolean;
  /** Mark bit of --iptables-masquerade-bit; nftables mode has its own. */
  readonly masqueradeBit: number;
  readonly nftablesMasqueradeBit: number;
  readonly localhostNodePorts: boolean;
  /** `primary`, or networks; empty: all addresses (nftables mode: primary). */
  readonly nodePortAddresses: 'primary' | readonly Cidr[];
  readonly conntrackBeLiberal: boolean;
  readonly syncPeriodUs: number;
  readonly minSyncPeriodUs: number;
  readonly verbosity: number;
  readonly ipvsScheduler: string;
  readonly ipvsStrictArp: boolean;
  readonly ipvsExcludeCidrs: readonly Cidr[];
  /** TCP, TCP FIN, UDP; 0: leave the kernel's. */
  readonly ipvsTimeoutsUs: { readonly tcp: number; readonly tcpFin: number; readonly udp: number };
}

const DEFAULTS: ProxyConfig = {
  mode: 'iptables',
  modeUnset: true,
  hostname: '',
  clusterCidrs: [],
  detectLocal: 'ClusterCIDR',
  bridge: '',
  interfacePrefix: '',
  masqueradeAll: false,
  masqueradeBit: 14,
  nftablesMasqueradeBit: 14,
  localhostNodePorts: true,
  nodePortAddresses: [],
  conntrackBeLiberal: false,
  syncPeriodUs: 30_000_000,
  minSyncPeriodUs: 1_000_000,
  verbosity: 2,
  ipvsScheduler: '',
  ipvsStrictArp: false,
  ipvsExcludeCidrs: [],
  ipvsTimeoutsUs: { tcp: 0, tcpFin: 0, udp: 0 },
};

type Draft = { -readonly [K in keyof ProxyConfig]: ProxyConfig[K] };

/** Go durations of whole units: `30s`, `1m30s`, `500ms`, `0`. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const unit: Readonly<Record<string, number>> = { h: 3_600_000_000, m: 60_000_000, s: 1_000_000, ms: 1000, us: 1 };
  let rest = text;
  let total = 0;
  while (rest !== '') {
    const m = /^([0-9]+)(ms|us|h|m|s)/.exec(rest);
    if (!m) return undefined;
    total += Number(m[1]) * (unit[m[2] as string] as number);
    rest = rest.slice(m[0].length);
  }
  return text === '' ? undefined : total;
}

const cidrs = (text: string): Cidr[] | undefined => {
  const list = text.split(',').filter((c) => c !== '');
  const out = list.map(parseCidr);
  return out.every((c): c is Cidr => c !== undefined) ? out : undefined;
};

const boolean = (text: string): boolean | undefined =>
  ['true', 't', '1', 'TRUE', 'True'].includes(text)
    ? true
    : ['false', 'f', '0', 'FALSE', 'False'].includes(text)
      ? false
      : undefined;

const BOOLEANS: Readonly<Record<string, (c: Draft, v: boolean) => void>> = {
  'masquerade-all': (c, v) => {
    c.masqueradeAll = v;
  },
  'iptables-localhost-nodeports': (c, v) => {
    c.localhostNodePorts = v;
  },
  'conntrack-tcp-be-liberal': (c, v) => {
    c.conntrackBeLiberal = v;
  },
  'ipvs-strict-arp': (c, v) => {
    c.ipvsStrictArp = v;
  },
};

/** Flags that change nothing that the model shows. */
const IGNORED = [
  'bind-address',
  'config',
  'conntrack-max-per-core',
  'conntrack-min',
  'conntrack-tcp-timeout-close-wait',
  'conntrack-tcp-timeout-established',
  'conntrack-udp-timeout',
  'conntrack-udp-timeout-stream',
  'feature-gates',
  'healthz-bind-address',
  'ipvs-min-sync-period',
  'ipvs-sync-period',
  'kubeconfig',
  'master',
  'metrics-bind-address',
  'oom-score-adj',
];

type Setter = (c: Draft, v: string) => boolean;

const duration =
  (set: (c: Draft, us: number) => void): Setter =>
  (c, v) => {
    const us = parseDuration(v);
    if (us !== undefined) set(c, us);
    return us !== undefined;
  };

const VALUES: Readonly<Record<string, Setter>> = {
  'proxy-mode': (c, v) => {
    if (v !== '' && v !== 'iptables' && v !== 'nftables' && v !== 'ipvs') return false;
    c.mode = v === '' ? 'iptables' : v;
    c.modeUnset = v === '';
    return true;
  },
  'hostname-override': (c, v) => {
    c.hostname = v;
    return true;
  },
  'cluster-cidr': (c, v) => {
    const list = cidrs(v);
    if (list) c.clusterCidrs = list;
    return list !== undefined;
  },
  'detect-local-mode': (c, v) => {
    const modes: readonly string[] = ['ClusterCIDR', 'NodeCIDR', 'BridgeInterface', 'InterfaceNamePrefix'];
    if (!modes.includes(v)) return false;
    c.detectLocal = v as DetectLocalMode;
    return true;
  },
  'pod-bridge-interface': (c, v) => {
    c.bridge = v;
    return true;
  },
  'pod-interface-name-prefix': (c, v) => {
    c.interfacePrefix = v;
    return true;
  },
  'iptables-masquerade-bit': (c, v) => {
    const n = Number(v);
    if (!Number.isInteger(n) || n < 0 || n > 31) return false;
    c.masqueradeBit = n;
    return true;
  },
  'nodeport-addresses': (c, v) => {
    if (v === 'primary') {
      c.nodePortAddresses = 'primary';
      return true;
    }
    const list = cidrs(v);
    if (list) c.nodePortAddresses = list;
    return list !== undefined;
  },
  'iptables-sync-period': duration((c, us) => {
    c.syncPeriodUs = us;
  }),
  'iptables-min-sync-period': duration((c, us) => {
    c.minSyncPeriodUs = us;
  }),
  'ipvs-scheduler': (c, v) => {
    c.ipvsScheduler = v;
    return true;
  },
  'ipvs-exclude-cidrs': (c, v) => {
    const list = cidrs(v);
    if (list) c.ipvsExcludeCidrs = list;
    return list !== undefined;
  },
  'ipvs-tcp-timeout': duration((c, us) => {
    c.ipvsTimeoutsUs = { ...c.ipvsTimeoutsUs, tcp: us };
  }),
  'ipvs-tcpfin-timeout': duration((c, us) => {
    c.ipvsTimeoutsUs = { ...c.ipvsTimeoutsUs, tcpFin: us };
  }),
  'ipvs-udp-timeout': duration((c, us) => {
    c.ipvsTimeoutsUs = { ...c.ipvsTimeoutsUs, udp: us };
  }),
  v: (c, v) => {
    const n = Number(v);
    c.verbosity = n;
    return Number.isInteger(n) && n >= 0;
  },
};

/** kube-proxy's command line (without the program's name). The last of equal flags counts. */
export function parseFlags(argv: readonly string[]): Result<ProxyConfig> {
  const c: Draft = { ...DEFAULTS };
  for (const arg of argv) {
    const m = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(arg);
    if (!m) return err(`unknown command ${JSON.stringify(arg)} for "kube-proxy"`);
    const name = m[1] as string;
    const value = m[2];
    const setBool = BOOLEANS[name];
    if (setBool) {
      const b = value === undefined ? true : boolean(value);
      if (b === undefined) {
        return err(
          `invalid argument "${value}" for "--${name}" flag: strconv.ParseBool: parsing "${value}": invalid syntax`,
        );
      }
      setBool(c, b);
      continue;
    }
    const set = VALUES[name];
    if (!set && !IGNORED.includes(name)) return err(`unknown flag: --${name}`);
    if (value === undefined) return err(`flag needs an argument: --${name}`);
    if (set && !set(c, value)) return err(`invalid argument "${value}" for "--${name}" flag`);
  }
  return ok(c);
}
