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
createRoot(host).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
