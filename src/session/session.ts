import { provideExecutor } from './core';
import { EXECUTOR } from './exec';

// For Node, tests and everybody who wants the whole session at once.
provideExecutor(EXECUTOR);

export { placeText, Session } from './core';
