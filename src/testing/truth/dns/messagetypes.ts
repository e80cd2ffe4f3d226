import type { WireEntry } from './capture';
import type { QueryOptions } from './server';

export interface State {
  readonly t_ms: number;
  readonly [key: string]: unknown;
}
export interface Setup {
  readonly start?: string;
  readonly query?: string;
  readonly wait_s?: number;
  readonly signal?: string;
  readonly poll?: string;
  readonly write_corefile?: string;
  readonly same_process_as?: string;
  readonly service_account_token?: string;
}
export interface Before {
  readonly wait_s?: number;
  readonly upstream?: string;
  readonly state?: 'silent' | 'good';
}
export interface Entry {
  readonly query?: string;
  readonly transport?: 'udp' | 'tcp';
  readonly options?: QueryOptions;
  readonly log?: readonly (string | { readonly t_ms: number; readonly line: string })[];
  readonly step?: string;
  readonly corefile_text?: string;
  readonly watched_s?: number;
  readonly then?: readonly string[];
  readonly before?: Before | readonly Before[] | null;
  readonly at?: string;
  readonly ms?: number;
  readonly answer?: unknown;
  readonly wire?: readonly WireEntry[];
}
export interface MessageRecord {
  readonly id: string;
  readonly record: boolean;
  readonly compare: readonly string[];
  readonly volatile?: readonly string[];
  readonly corefile?: string;
  readonly corefile_text?: string;
  readonly start_corefile_text?: string;
  readonly coredns_resolv_conf?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly setup?: readonly Setup[];
  readonly log?: readonly string[];
  readonly exit?: number | string;
  readonly answer?: unknown;
  readonly stop_ms?: number;
  readonly after_ms?: number;
  readonly over_time?: readonly State[];
  readonly health?: { code: number; body: string; headers: readonly string[] };
  readonly ready?: { code: number; body: string; headers: readonly string[] };
  readonly other_paths_8080?: Readonly<Record<string, readonly [number, string]>>;
  readonly other_paths_8181?: Readonly<Record<string, readonly [number, string]>>;
  readonly after_sigterm?: readonly State[];
  readonly sigterm_to_exit_ms?: number;
  readonly entries?: readonly Entry[];
  readonly query?: string;
  readonly query_after_each_step?: string;
  readonly ms_includes_s?: number;
  readonly lines?: readonly { readonly t_ms: number; readonly line: string }[];
  readonly watched_s?: number;
  readonly queries?: Readonly<Record<string, string>>;
  readonly ready_health_over_time?: readonly State[];
  readonly answers_over_time?: readonly State[];
  readonly results?: readonly { readonly rcode: string }[];
}

/** A state in which one of two questions was asked before a change and the other one after it is no state of its own. */
function settled(states: readonly State[]): State[] {
  return states.filter((s, i) => {
    const [a, b] = [states[i - 1], states[i + 1]];
    if (!a || !b) return true;
    const keys = Object.keys(s).filter((k) => k !== 't_ms');
    const same = (x: State, k: string): boolean => JSON.stringify(x[k]) === JSON.stringify(s[k]);
    return !keys.every((k) => same(a, k) || same(b, k));
  });
}

/** First difference between two histories; times within a second. */
export function statesDiff(what: string, wantAll: readonly State[], gotAll: readonly State[]): string | undefined {
  const [want, got] = [settled(wantAll), settled(gotAll)];
  for (let i = 0; i < Math.max(want.length, got.length); i++) {
    const [w, g] = [want[i], got[i]];
    if (!w || !g) return `${what} ${i + 1}: want ${JSON.stringify(w)}, got ${JSON.stringify(g)}`;
    const bare = ({ t_ms: _, ...rest }: State): string => JSON.stringify(rest);
    if (bare(w) !== bare(g)) return `${what} ${i + 1}: want ${bare(w)}, got ${bare(g)}`;
    if (Math.abs(w.t_ms - g.t_ms) > 1000) return `${what} ${i + 1}: t_ms: want ${w.t_ms}, got ${g.t_ms}`;
  }
  return undefined;
}
