import { usePage } from '../model';
import { Dialog } from '../ui/Dialog';
import { useText } from '../ui/messages';
import { profileOf } from './profile';

export default function ProfileDialog({ close }: { close: () => void }) {
  const t = useText();
  const recipe = usePage((p) => p.recipe);
  if (recipe === undefined) return null;
  const p = profileOf(recipe);
  const rows: [string, string][] = [
    [t.profileKubernetes, p.kubernetesFull],
    [t.profileKernel, p.kernel],
    [t.profileMode, p.mode],
    [t.profileIptables, p.iptables],
    [t.profileBackend, p.backend],
    [t.profileCni, p.cni],
    [t.profileNodes, String(p.nodes)],
    [t.profileSeed, p.seed],
  ];
  if (p.flags.length > 0) rows.push([t.profileFlags, p.flags.join(' ')]);
  return (
    <Dialog title={t.profile} close={close}>
      <p>{t.profileHint}</p>
      <dl className="pairs">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
