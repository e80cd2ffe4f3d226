import { portsMatch } from './udp';

/** xt_sctp, ports only: the model's SCTP packets carry no chunks. */
export const sctp = portsMatch('sctp', 132);
