import { fileURLToPath } from 'node:url';

/** The project's directory, whatever the working directory is. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** A path inside the project. */
export const inRoot = (...parts) => [root, ...parts].join('/');
