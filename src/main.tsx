import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './view/ui/fonts.css';
import './view/ui/tokens.css';
import './view/ui/base.css';
import './view/ui/controls.css';
import { App } from './view/app/App';
import { restoreSettings } from './view/app/settings';

const host = document.getElementById('root');
if (host === null) throw new Error('index.html has no #root element');
restoreSettings();

/** An embed is a page of its own with less in it; nothing of it is loaded for the product and the other way round. */
async function root() {
  if (!new URLSearchParams(window.location.search).has('embed')) return <App />;
  const [{ EmbedApp }, { embedParams }] = await Promise.all([import('./embed/EmbedApp'), import('./embed/params')]);
  const params = embedParams(window.location);
  return <EmbedApp params={params} />;
}

// Not awaited here: what loads later may import from this file, and would wait for it in turn.
void root().then((page) => createRoot(host).render(<StrictMode>{page}</StrictMode>));
