import type { Sys, Wait, Wake } from '../workload/process';

/** The system calls that the DNS programs use. */
export type Os = Pick<
  Sys,
  | 'nowUs'
  | 'argv'
  | 'env'
  | 'random'
  | 'lookup'
  | 'readFile'
  | 'write'
  | 'socket'
  | 'bind'
  | 'listen'
  | 'connect'
  | 'accept'
  | 'send'
  | 'recv'
  | 'sockError'
  | 'getsockname'
  | 'setsockopt'
  | 'close'
>;

/** A program that needs no more than that; a Program of the workload as well. */
export type OsProgram = (sys: Os) => Generator<Wait, number, Wake>;
