import { Dialog } from '../ui/Dialog';
import { useText } from '../ui/messages';

export default function ShareDialog({ url, close }: { url: string; close: () => void }) {
  const t = useText();
  return (
    <Dialog title={t.linkNotCopied} close={close}>
      <p>{t.linkNotCopiedWhy}</p>
      <textarea
        className="field link-field"
        readOnly
        rows={4}
        value={url}
        aria-label={t.shareLink}
        onFocus={(e) => e.currentTarget.select()}
      />
      <p>{t.shareLinkWhy}</p>
    </Dialog>
  );
}
