export { coredns } from './programs/coredns';
