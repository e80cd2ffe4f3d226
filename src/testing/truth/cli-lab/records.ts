import type { TruthFiles } from '../types';

/** One entry of a g*.json (truth/cli/README.md, "Keys of a record"). */
export interface CliRecord {
  readonly id: string;
  readonly setup: string;
  readonly ns: string;
  readonly independent?: boolean;
  readonly sequence?: string;
  readonly order?: number;
  readonly cmd: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit?: number;
  readonly note?: string;
  readonly locale?: string;
  readonly context?: boolean;
  readonly record?: boolean;
  readonly variant?: 'nft' | 'legacy';
  readonly user?: number;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly tty?: boolean;
  readonly cols?: number;
  readonly sigint_after_s?: number;
  readonly traffic?: readonly { readonly ns: string; readonly at_s: number; readonly cmd: string }[];
  readonly at_s?: number;
  readonly neigh_confirmed?: boolean;
  readonly volatile?: readonly string[];
  readonly unordered_lines?: boolean;
  readonly unordered_members?: boolean;
  readonly unordered_endpoints?: 'list' | 'blocks' | 'lines';
  readonly input_generator?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly http_status?: number;
  readonly status?: unknown;
  readonly accepted?: boolean;
  readonly stored_spec?: unknown;
}

export type PackageSetName = 'debian12' | 'debian13' | 'kubernetes-1.37';

export interface CliFile {
  readonly name: string;
  readonly group: number;
  readonly packageSet: PackageSetName;
  readonly records: readonly CliRecord[];
}

export interface Step {
  readonly op: string;
  readonly ns?: string;
  readonly cmd?: string;
  readonly s?: number;
  readonly file?: string;
  readonly id?: string;
  readonly first?: string;
  readonly applets?: readonly string[];
  readonly nameserver?: string;
  readonly search?: readonly string[];
  readonly options?: readonly string[];
  readonly path?: string;
  readonly line?: string;
}

export interface Setup {
  readonly text?: string;
  readonly ns: string;
  readonly steps: readonly Step[];
  readonly cwd: string;
  readonly undo?: readonly Step[];
}

export interface Topology {
  readonly namespaces: readonly {
    readonly ns: string;
    readonly host?: string;
    readonly role: string;
    readonly interfaces: readonly {
      readonly name: string;
      readonly kind?: string;
      readonly mac: string;
      readonly address?: string;
      readonly master?: string;
      readonly hairpin?: boolean;
      readonly peer?: { readonly ns: string; readonly name: string };
      readonly ifindex?: number;
      readonly peer_ifindex?: number;
    }[];
    readonly routes?: readonly string[];
    readonly sysctls?: Readonly<Record<string, string | number>>;
  }[];
  readonly nodeHosts: string;
  readonly podHosts: string;
  readonly podResolv: string;
}

/** Everything of the folder that is no record. */
export interface Lab {
  readonly setups: Readonly<Record<string, Setup>>;
  readonly places: Readonly<Record<string, { readonly start: string; readonly host?: string }>>;
  readonly topology: Topology;
  readonly files: TruthFiles;
  readonly all: readonly CliFile[];
}

const parse = <T>(files: TruthFiles, path: string): T | undefined => {
  const text = files.read(path);
  return text === undefined ? undefined : (JSON.parse(text) as T);
};

export function loadLab(files: TruthFiles): Lab {
  const all = files
    .list('')
    .filter((n) => /^g\d.*\.json$/.test(n))
    .map((n) => ({
      ...(parse<Omit<CliFile, 'name'>>(files, n) as Omit<CliFile, 'name'>),
      name: n.replace(/\.json$/, ''),
    }));
  return {
    setups: parse(files, 'setup/index.json') ?? {},
    places: parse(files, 'setup/places.json') ?? {},
    topology: parse(files, 'setup/topology.json') ?? { namespaces: [], nodeHosts: '', podHosts: '', podResolv: '' },
    files,
    all,
  };
}
