export * from './context';
export * from './events';
export * from './kinds';
export * from './recorder';
