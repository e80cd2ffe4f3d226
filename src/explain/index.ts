// The glossary is not here: it is long and opens on demand (./glossary).
export * from './conditions';
export * from './drop';
export * from './format';
export * from './lang';
export { addLanguage } from './languages';
export * from './line';
export * from './markup';
export * from './narrate';
export * from './values';
