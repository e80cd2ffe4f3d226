import type { NetfilterDoor } from '../../../engine/netfilter/door';
import type { Ctx } from '../../../engine/trace/index';
import type { TruthFiles } from '../types';
import { compareNft, compareSave, compareServices, compareSlices, type Difference } from './compare';
import { RuleLab } from './lab';
import type { CaseMeta } from './meta';
import { readDocs } from './yaml';

export type MakeDoor = (ctx: Ctx, nodes: readonly string[]) => NetfilterDoor;

/** The rules and slices of one case: both modes, the start and each step, all nodes. */
export function replayRules(files: TruthFiles, dir: string, meta: CaseMeta, makeDoor: MakeDoor): Difference {
  for (const mode of meta.modes) {
    const lab = new RuleLab(files, meta, makeDoor);
    lab.start(dir, mode);
    const d =
      compareState(files, dir, meta, lab, mode, '') ??
      compareServices(mode, lab.services(), readDocs(files, `${dir}/services-as-stored.yaml`) ?? []);
    if (d) return d;
    const gone = new Set<string>();
    for (const step of meta.steps) {
      for (const a of step.do) {
        lab.act(dir, a);
        if (a.op === 'delete' && a.kind === 'Service') gone.add(`${String(a.namespace)}/${String(a.name)}`);
      }
      lab.settle();
      const differs = compareState(files, dir, meta, lab, mode, `${step.name}.`, gone);
      if (differs) return `step ${step.name}: ${differs}`;
    }
  }
  return undefined;
}

function compareState(
  files: TruthFiles,
  dir: string,
  meta: CaseMeta,
  lab: RuleLab,
  mode: 'iptables' | 'nftables',
  step: string,
  gone: ReadonlySet<string> = new Set(),
): Difference {
  if (!lab.healthy) return `${mode}: a sync failed`;
  const suffix = step === '' ? '' : `.${step.slice(0, -1)}`;
  const expected = readDocs(files, `${dir}/endpointslices${suffix}.yaml`) ?? [];
  // The lab had no garbage collector: slices of a deleted Service are not compared.
  const kept = (s: unknown): boolean => {
    const meta = (s as { metadata?: { namespace?: string; labels?: Record<string, string> } }).metadata;
    return !gone.has(`${meta?.namespace}/${meta?.labels?.['kubernetes.io/service-name']}`);
  };
  const sizes = !meta.case.startsWith('49');
  const d = compareSlices(mode, lab.slices().filter(kept), expected.filter(kept), sizes);
  if (d) return d;
  for (const node of Object.keys(meta.nodes)) {
    const read = (what: string): string | undefined => files.read(`${dir}/${node}.${step}${what}`);
    const differs =
      mode === 'nftables'
        ? differ(read('nft.txt'), (want) => compareNft(node, lab.nft(node), want))
        : (differ(read('iptables-save.txt'), (want) => compareSave(node, lab.save(node, 4), want)) ??
          differ(read('ip6tables-save.txt'), (want) => compareSave(`${node} IPv6`, lab.save(node, 6), want)));
    if (differs) return `${mode} ${differs}`;
  }
  return undefined;
}

const differ = (want: string | undefined, compare: (want: string) => Difference): Difference =>
  want === undefined ? undefined : compare(want);
