import type { SessionCommand } from '../../session/protocol';
import { page, stepNumber, usePage } from '../model';
import { Dialog } from '../ui/Dialog';
import { useText } from '../ui/messages';

/** A command that changes the world was typed at a past step: where should it happen? */
export default function PastDialog({ command }: { command: SessionCommand }) {
  const t = useText();
  const number = usePage(stepNumber);
  const line = command.op === 'run' ? (command.line ?? command.argv.join(' ')) : command.op;
  const answer = (choice: 'now' | 'fork' | 'cancel') => () => void page().answerPast(choice);
  return (
    <Dialog title={t.pastTitle(number)} close={answer('cancel')}>
      <p>{t.pastWhy(line)}</p>
      <div className="acts">
        <button type="button" className="btn quiet" onClick={answer('cancel')}>
          {t.cancel}
        </button>
        <button type="button" className="btn" onClick={answer('now')}>
          {t.goToNewest}
        </button>
        <button type="button" className="btn primary" onClick={answer('fork')}>
          {t.branchHere}
        </button>
      </div>
    </Dialog>
  );
}
