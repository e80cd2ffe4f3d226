/** Read access to one truth folder (netfilter, conntrack, proxy, ipvs, dns, cli), wherever it lies. Paths are relative. */
export interface TruthFiles {
  /** Text of a file, or undefined when there is none. */
  read(path: string): string | undefined;
  /** Names in a directory ('' = the folder itself), sorted; folders end in '/'. */
  list(dir: string): string[];
}

/** What became of one record. `difference`: the first one, in a line or a few. */
export interface TruthOutcome {
  readonly id: string;
  readonly ok: boolean;
  readonly difference?: string;
}

/** Whether a record is asked for (`--only`); replayers may skip work for records nobody asked for. */
export type Wanted = (id: string) => boolean;

/** One folder's replayer. Yields one outcome per record that counts. */
export type Replayer = (files: TruthFiles, wanted: Wanted) => Iterable<TruthOutcome> | AsyncIterable<TruthOutcome>;
