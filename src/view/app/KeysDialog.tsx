import { Dialog } from '../ui/Dialog';
import { useSetting } from '../ui/hooks';
import { useText } from '../ui/messages';

export default function KeysDialog({ close }: { close: () => void }) {
  const t = useText();
  const [keys, setKeys] = useSetting('keys', 'on');
  const rows: [string[], string][] = [
    [['←', '→'], t.keyStep],
    [['⇧←', '⇧→'], t.keyChain],
    [['space'], t.keyPlay],
    [['[', ']'], t.keyHook],
    [['t'], t.keyTerminal],
    [['P'], t.keyPin],
    [['F6'], t.keyRegions],
    [['?'], t.keyHelp],
  ];
  return (
    <Dialog title={t.keysTitle} close={close}>
      <dl className="pairs">
        {rows.map(([names, what]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {names.map((k) => (
                <kbd key={k} className="kbd">
                  {k}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={keys !== 'off'} onChange={(e) => setKeys(e.target.checked ? 'on' : 'off')} />
        <span>
          {t.keysOff}
          <span className="dim"> {t.keysOffWhy}</span>
        </span>
      </label>
    </Dialog>
  );
}
