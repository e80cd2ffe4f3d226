// The loader (./load) is not here: it carries the YAML reader and the schema, which the page's own lessons do not need.
export * from './goals';
export * from './lesson';
export * from './pins';
export * from './places';
export * from './query';
export * from './questions';
export * from './read';
export * from './recipe';
export type * from './schema';
export * from './steps';
