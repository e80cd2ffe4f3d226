import { defineMap } from '../../base/recordmap';
import type { NetnsId } from '../../net/types';

export type Component = 'ip' | 'net' | 'port' | 'mark' | 'mac' | 'iface' | 'set';

export interface SetMember {
  /** One text per component: `10.0.0.1`, `10.0.0.0/8`, `tcp:80` (bitmap:port: `80`), a set's name. */
  readonly parts: readonly string[];
  readonly nomatch?: boolean;
  readonly comment?: string;
  /** us; absent: never. */
  readonly expiresAtUs?: number;
  readonly packets?: number;
  readonly bytes?: number;
}

export interface SetRecord {
  readonly netns: NetnsId;
  readonly name: string;
  /** `hash:ip,port`, `bitmap:port`, `list:set`... */
  readonly type: string;
  readonly family: 4 | 6;
  readonly hashsize: number;
  readonly maxelem: number;
  /** bitmap:port and bitmap:ip: bounds as typed. */
  readonly range?: readonly [string, string];
  readonly netmask?: number;
  /** Seconds; 0: entries may have timeouts but have none by default. */
  readonly timeout?: number;
  readonly counters?: boolean;
  readonly comment?: boolean;
  readonly size?: number;
  readonly skbinfo?: boolean;
  readonly forceadd?: boolean;
  /** Seed of its hash, as listings show it. */
  readonly initval?: number;
  /** Its place in the kernel's table: listings go by it, and a freed place is taken again. */
  readonly index?: number;
  readonly members: readonly SetMember[];
}

export const NF_SETS = defineMap<SetRecord>('nf.ipset', { netns: (s) => s.netns });

/** Set types of the model with their components, as `ipset help` names them. */
export const SET_TYPES: Readonly<Record<string, readonly Component[]>> = {
  'bitmap:ip': ['ip'],
  'bitmap:port': ['port'],
  'hash:ip': ['ip'],
  'hash:net': ['net'],
  'hash:mac': ['mac'],
  'hash:ip,mark': ['ip', 'mark'],
  'hash:ip,port': ['ip', 'port'],
  'hash:net,port': ['net', 'port'],
  'hash:net,net': ['net', 'net'],
  'hash:net,iface': ['net', 'iface'],
  'hash:ip,port,ip': ['ip', 'port', 'ip'],
  'hash:ip,port,net': ['ip', 'port', 'net'],
  'hash:net,port,net': ['net', 'port', 'net'],
  'list:set': ['set'],
};
