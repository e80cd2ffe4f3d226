export * from './blocking';
export * from './loader';
export * from './process';
export * from './processes';
export * from './programs';
export * from './records';
export * from './resolve';
