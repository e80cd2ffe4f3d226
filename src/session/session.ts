import { provideParts } from './late';
import { PARTS } from './parts';

// For Node, tests and everybody who wants the whole session at once.
provideParts(PARTS);

export { Session } from './core';
