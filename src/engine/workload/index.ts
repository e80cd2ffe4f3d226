export * from './blocking';
export * from './process';
export * from './processes';
export * from './records';
