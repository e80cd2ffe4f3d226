import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const host = document.getElementById('root');
if (host === null) throw new Error('index.html has no #root element');
createRoot(host).render(
  <StrictMode>
    <main>
      <h1>Conntrail</h1>
    </main>
  </StrictMode>,
);
