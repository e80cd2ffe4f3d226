export * from './assert';
export * from './hash';
export * from './ip';
export * from './json';
export * from './prng';
export * from './recordmap';
export * from './result';
export * from './unknown';
