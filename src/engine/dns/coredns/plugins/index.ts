import type { PluginSpec } from '../plugin';
import { acl } from './acl';
import { any } from './any';
import { autopath } from './autopath';
import { bind } from './bind';
import { bufsize } from './bufsize';
import { cache } from './cache';
import { chaos } from './chaos';
import { debug } from './debug';
import { dns64 } from './dns64';
import { errors } from './errors';
import { file } from './file';
import { forward } from './forward';
import { health } from './health';
import { hosts } from './hosts';
import { kubernetes } from './kubernetes';
import { loadbalance } from './loadbalance';
import { local } from './local';
import { log } from './log';
import { loop } from './loop';
import { minimal } from './minimal';
import { prometheus } from './prometheus';
import { ready } from './ready';
import { reload } from './reload';
import { rewrite } from './rewrite';
import { template } from './template';
import { transfer } from './transfer';
import { whoami } from './whoami';

/** The plugins of the model. Where they stand in the chain is told by DIRECTIVES, not by this list. */
export const PLUGINS: readonly PluginSpec[] = [
  acl,
  any,
  autopath,
  bind,
  bufsize,
  cache,
  chaos,
  debug,
  dns64,
  errors,
  file,
  forward,
  health,
  hosts,
  kubernetes,
  loadbalance,
  local,
  log,
  loop,
  minimal,
  prometheus,
  ready,
  reload,
  rewrite,
  template,
  transfer,
  whoami,
];

/** Every directive of CoreDNS 1.14 in the order of its plugin.cfg, which is the order of the chain. */
export const DIRECTIVES: readonly string[] =
  `root metadata geoip cancel proxyproto quic grpc_server https https3 timeouts multisocket reload nsid bufsize bind debug
  trace ready health pprof shed prometheus errors log dnstap local dns64 any chaos loadbalance tsig rewrite autopath acl
  cache header dnssec tls minimal template transfer hosts route53 azure clouddns k8s_external kubernetes file auto
  secondary etcd loop forward grpc erratic whoami on sign view nomad`.split(/\s+/);
