import { useState } from 'react';
import { useText } from '../ui/messages';

/** Keys that a phone's keyboard does not have. */
export function KeyRow({ press, done }: { press: (key: string) => void; done: () => void }) {
  const t = useText();
  const [ctrl, setCtrl] = useState(false);
  const keys: [string, string][] = ctrl
    ? [
        ['C', '\x03'],
        ['A', '\x01'],
        ['E', '\x05'],
        ['U', '\x15'],
        ['K', '\x0b'],
        ['W', '\x17'],
        ['L', '\x0c'],
        ['R', '\x12'],
      ]
    : [
        ['Tab', '\t'],
        ['|', '|'],
        ['/', '/'],
        ['-', '-'],
        ['←', '\x1b[D'],
        ['→', '\x1b[C'],
        ['↑', '\x1b[A'],
        ['↓', '\x1b[B'],
      ];
  return (
    <div className="key-row">
      <button type="button" aria-pressed={ctrl} className="key" onClick={() => setCtrl(!ctrl)}>
        {t.keyCtrl}
      </button>
      {keys.map(([name, key]) => (
        <button
          key={name}
          type="button"
          className="key"
          onClick={() => {
            press(key);
            setCtrl(false);
            done();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
