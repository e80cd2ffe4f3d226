export type { Message } from './message';
export { bbNslookup } from './programs/bbnslookup';
export { coredns } from './programs/coredns';
export { dig } from './programs/dig';
export { getent } from './programs/getent';
export { host } from './programs/host';
export { nslookup } from './programs/nslookup';
