export { type ProxyConfig, type ProxyModeName, parseFlags } from './flags';
export { PROXY_LOG, type ProxyLogLine, proxyLogText } from './log';
export { provideModes } from './modes/index';
export { NFT_TABLES, type NftTable } from './modes/nftables/model';
export { rulesetText } from './modes/nftables/print';
export { HEALTHZ_PORT, healthCheckPorts, METRICS_PORT, type ProxyPage, proxyPage } from './pages';
export { createKubeProxy, KubeProxy, type KubeProxyOptions } from './proxy';
export { PROXIES, PROXY_CACHE, type ProxyState } from './records';
