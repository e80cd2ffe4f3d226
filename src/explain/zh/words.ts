import type { Condition, Effect } from '../conditions';

/** 规则被跳过的原因，按第一个不满足的条件。 */
const SKIPPED: Readonly<Record<string, string>> = {
  src: '源地址不符',
  source: '源地址不符',
  dst: '目的地址不符',
  destination: '目的地址不符',
  proto: '协议不符',
  protocol: '协议不符',
  dport: '目的端口不符',
  sport: '源端口不符',
  in: '入网卡不符',
  out: '出网卡不符',
  mark: '标记不符',
  ctstate: '连接状态不符',
  conntrack: '连接状态不符',
  addrtype: '地址类型不符',
  tcp: '端口不符',
  udp: '端口不符',
  multiport: '端口不符',
  set: '不在集合里',
  frag: '不是分片',
  statistic: '抽签未中',
  unsupported: '用到没有建模的匹配条件',
  mixed: '原因各不相同',
};
export const skipped = (code: string): string => SKIPPED[code] ?? `条件 ${code} 不满足`;

/** 规则的要求和包自己的值。 */
export function wants(c: Condition): string {
  const has = c.value === '' ? '而包不符合' : `而包是 ${c.value}`;
  const w = c.wanted;
  switch (c.field) {
    case 'source':
      return `${c.not ? `${w} 以外的源地址` : `源地址 ${w}`}，${has}`;
    case 'destination':
      return `${c.not ? `${w} 以外的目的地址` : `目的地址 ${w}`}，${has}`;
    case 'protocol':
      return `${c.not ? `${w} 以外的协议` : `协议 ${w}`}，${has}`;
    case 'destinationPort':
      return `${c.not ? `${w} 以外的目的端口` : `目的端口 ${w}`}，${has}`;
    case 'sourcePort':
      return `${c.not ? `${w} 以外的源端口` : `源端口 ${w}`}，${has}`;
    case 'in':
      return `${c.not ? `不从 ${w} 进来的包` : `从 ${w} 进来的包`}，${has}`;
    case 'out':
      return `${c.not ? `不从 ${w} 出去的包` : `从 ${w} 出去的包`}，${has}`;
    case 'mark':
      return `${c.not ? `没有标记 ${w} 的包` : `标记 ${w}`}，${has}`;
    case 'ctstate':
      return `${c.not ? `${w} 以外的连接状态` : `连接状态 ${w}`}，${has}`;
    case 'addrtype':
      return `${c.not ? `${w} 以外的地址类型` : `地址类型 ${w}`}，${has}`;
    case 'other':
      return `${w}，${has}`;
  }
}

/** 满足的条件，写成短句。 */
export function holds(c: Condition): string {
  const v = c.value === '' ? c.wanted : c.value;
  const outside = c.not ? `，在 ${c.wanted} 以外` : '';
  switch (c.field) {
    case 'source':
      return `源地址是 ${v}${outside}`;
    case 'destination':
      return `目的地址是 ${v}${outside}`;
    case 'protocol':
      return `协议是 ${v}`;
    case 'destinationPort':
      return `目的端口是 ${v}`;
    case 'sourcePort':
      return `源端口是 ${v}`;
    case 'in':
      return `包从 ${v} 进来`;
    case 'out':
      return `包从 ${v} 出去`;
    case 'mark':
      return c.not ? `没有标记 ${c.wanted}` : `有标记 ${c.wanted}`;
    case 'ctstate':
      return `连接状态是 ${v}`;
    case 'addrtype':
      return `地址类型是 ${v}`;
    case 'other':
      return `${c.wanted} 满足`;
  }
}

/** 规则的结果，接在“每个包都”之后。 */
export function does(e: Effect): string {
  switch (e.kind) {
    case 'jump':
      return `进入 ${e.chain} 链`;
    case 'dnat':
      return `会被送往 ${e.to}`;
    case 'snat':
      return `把源地址改为 ${e.to}`;
    case 'masquerade':
      return '把源地址改为出口网卡的地址';
    case 'mark':
      return `打上标记 ${e.mark}`;
    case 'accept':
      return '放行';
    case 'drop':
      return '丢弃';
    case 'reject':
      return '拒绝';
    case 'return':
      return '返回上一级链';
    case 'none':
      return '只计数';
    case 'other':
      return `执行 ${e.target}`;
  }
}

export const list = (parts: readonly string[]): string => parts.join('，');

/** 包头字段的名字。 */
const FIELDS: Readonly<Record<string, string>> = {
  src: '源地址',
  dst: '目的地址',
  sport: '源端口',
  dport: '目的端口',
  mark: '标记',
  ttl: 'TTL',
  id: 'ICMP id',
};
export const fieldName = (field: string): string => FIELDS[field] ?? field;

/** 某个站点没有查表的原因。 */
const NOT_WALKED: Readonly<Record<string, string>> = {
  'not-first': 'nat 规则只问连接的首包',
  known: 'nat 规则只问连接的首包',
  established: 'nat 规则只问连接的首包',
  'no-table': '这里没有注册这张表',
  related: '包属于已知连接',
  untracked: '包不受跟踪',
  invalid: '包不属于任何连接',
  empty: '这张表在这里没有规则',
};
export const notWalked = (code: string | undefined): string => (code === undefined ? '' : (NOT_WALKED[code] ?? code));

/** 发送方看到的现象。 */
const SYMPTOMS: Readonly<Record<string, string>> = {
  timeout: '等不到回包，重发到超时为止',
  nothing: '等不到回包，重发到超时为止',
  refused: '立刻看到 “Connection refused”',
  icmp: '立刻收到 ICMP 错误',
  ECONNREFUSED: '立刻看到 “Connection refused”',
  reset: '看到 “Connection reset by peer”',
  ECONNRESET: '看到 “Connection reset by peer”',
  unreachable: '看到 “No route to host”',
  EHOSTUNREACH: '看到 “No route to host”',
  ENETUNREACH: '看到 “Network is unreachable”',
  EPERM: '看到 “Operation not permitted”',
  EACCES: '看到 “Permission denied”',
  EINVAL: '看到 “Invalid argument”',
  EMSGSIZE: '看到 “Message too long”',
  EPROTO: '看到 “Protocol error”',
  ETIMEDOUT: '看到 “Connection timed out”',
  none: '察觉不到',
};
export const symptom = (code: string): string => SYMPTOMS[code] ?? `看到 ${code}`;

/** 包为什么到此为止。 */
const DROPS: Readonly<Record<string, string>> = {
  rule: '规则要求如此',
  policy: '链的默认策略如此',
  'conntrack-full': '连接表已满',
  'conntrack-insert-failed': '另一个表项先用同样的元组入了表',
  'nat-no-free-tuple': '地址转换找不到空闲端口',
  'no-route': '没有到目的地址的路由',
  blackhole: '路由是 blackhole',
  prohibit: '路由禁止通行',
  'ttl-exceeded': 'TTL 已用完',
  'forwarding-disabled': 'net.ipv4.ip_forward 是 0',
  'martian-source': '源地址不可能出现在这块网卡上',
  'martian-destination': '目的地址不可能出现在这块网卡上',
  'rp-filter': '发往源地址的包会从另一块网卡出去',
  'no-listener': '端口上没有套接字在监听',
  'bad-segment': '这个段和套接字的状态对不上',
  'no-neighbour': '链路上没有谁应答下一跳的地址',
  'link-down': '链路断开',
  'mtu-exceeded': '包超过 MTU，又不允许分片',
  'not-for-us': '这一帧发给别的机器',
  'bridge-same-port': '会从进来的网桥端口再出去',
  ipvs: 'IPVS 没有可用的后端',
  'no-memory': '队列已满',
};
export const dropWhy = (code: string): string => DROPS[code] ?? code;
