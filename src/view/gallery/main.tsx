import { createRoot } from 'react-dom/client';
import '../ui/fonts.css';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/controls.css';
import { addStageWords } from '../path/words';
import { zh } from '../path/words-zh';
import { Gallery } from './Gallery';

// Development only: `/src/view/gallery/index.html` of the dev server. No build names this page.
addStageWords('zh', zh);
const theme = new URLSearchParams(window.location.search).get('theme');
if (theme !== null) document.documentElement.dataset.theme = theme;
const host = document.getElementById('root');
if (host !== null) createRoot(host).render(<Gallery />);
