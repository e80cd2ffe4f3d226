import type { Lang } from '../../explain';
import type { DropMarks, Phrase, Remark } from '../scene/types';

export type StageLang = Lang;

/** Words on the stage itself. Names of the API and the kernel, states and addresses are not translated. */
interface Words {
  readonly cluster: string;
  readonly outside: string;
  readonly onNoInterface: string;
  readonly onIpvs: string;
  readonly destination: string;
  readonly source: string;
  readonly pods: (n: number) => string;
  readonly more: (n: number) => string;
  readonly inside: (name: string) => string;
  readonly rulesRead: (read: number, missed: number) => string;
  readonly noTables: string;
  readonly endsHere: string;
  readonly staysHere: string;
  readonly partHere: string;
  readonly passed: string;
  readonly ahead: string;
  readonly noTable: string;
  readonly route: string;
  readonly process: string;
  readonly last: string;
  readonly localRoad: string;
  readonly merged: (n: number, from: string, to: string) => string;
  readonly skipped: (n: number, reason: string) => string;
  readonly reasons: Readonly<Record<string, string>>;
  readonly notReached: (n: number) => string;
  readonly notRead: (n: number) => string;
  readonly everyPacket: string;
  readonly drew: (draw: string, below: string, matched: boolean) => string;
  readonly doesNotMatch: string;
  readonly underTest: (n: number, of: number | undefined) => string;
  readonly cameBack: string;
  readonly returnsTo: (chain: string) => string;
  readonly policy: (p: string) => string;
  readonly exit: (verdict: string, table: string) => string;
  readonly via: (chain: string, rule: number) => string;
  readonly stub: (rule: number | undefined) => string;
  readonly rule: (n: number) => string;
  readonly entryTitle: string;
  readonly entryNew: string;
  readonly entryState: Readonly<Record<string, string>>;
  readonly original: string;
  readonly reply: string;
  readonly translated: (field: 'destination' | 'source') => string;
  readonly readOnTheWay: string;
  readonly natNotRead: string;
  readonly natRules: string;
  readonly read: (n: number) => string;
  readonly firstOnly: string;
  readonly routeTitle: string;
  readonly routeTo: string;
  readonly routeOut: string;
  readonly routeVia: string;
  readonly routeLine: string;
  readonly routeLocal: string;
  readonly direct: string;
  readonly notAsked: (table: string) => string;
  readonly notAskedReasons: Readonly<Record<string, string>>;
  readonly dropped: Readonly<Record<string, string>>;
  readonly droppedTitle: string;
  readonly rejectedTitle: string;
  readonly neverReached: (hook: string, n: number) => string;
  readonly symptoms: Readonly<Record<string, string>>;
  readonly tableFull: (closing: number) => string;
  readonly yourAnswer: string;
  readonly notEntered: string;
  readonly notEnteredLine: string;
  readonly predicted: string;
  readonly remarks: (r: Remark) => string;
  readonly packet: (n: number, role: 'request' | 'reply', label: string) => string;
  readonly pin: string;
  readonly pinRule: (n: number, chain: string) => string;
  readonly mapLabel: string;
  readonly hookLabel: (name: string) => string;
  readonly noStage: string;
  readonly changed: (n: number) => string;
  readonly ready: Readonly<Record<'ready' | 'unready' | 'terminating', string>>;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly fit: string;
  readonly hiddenNodes: (n: number) => string;
  readonly levels: Readonly<Record<'map' | 'node' | 'hook', string>>;
}

const s = (n: number): string => (n === 1 ? '' : 's');
const num = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

const en: Words = {
  cluster: 'cluster',
  outside: 'outside',
  onNoInterface: 'on no interface',
  onIpvs: 'on kube-ipvs0 of every node',
  destination: 'destination',
  source: 'source',
  pods: (n) => `${num(n)} pod${s(n)}`,
  more: (n) => `+ ${num(n)} pod${s(n)}`,
  inside: (name) => `Inside ${name}`,
  rulesRead: (read, missed) =>
    read === 0 ? 'no rule read so far' : `${num(read)} rule${s(read)} read, ${num(missed)} did not match`,
  noTables: 'no table is registered here',
  endsHere: 'the picture ends where the packet stands',
  staysHere: 'the packet stays where it died',
  partHere: 'prediction and run part here',
  passed: 'passed',
  ahead: 'ahead',
  noTable: 'no table here',
  route: 'route',
  process: 'process',
  last: 'last',
  localRoad: 'INPUT · process · OUTPUT',
  merged: (n, from, to) => `${n} stations, ${from} … ${to}`,
  skipped: (n, reason) => `${num(n)} rule${s(n)} skipped: ${reason}`,
  reasons: {
    src: 'source differs',
    dst: 'destination differs',
    proto: 'protocol differs',
    sport: 'source port differs',
    dport: 'port differs',
    mark: 'mark differs',
    iface: 'interface differs',
    in: 'interface differs',
    out: 'interface differs',
    ctstate: 'ctstate differs',
    addrtype: 'address type differs',
    set: 'not in the set',
    flags: 'flags differ',
    source: 'source differs',
    destination: 'destination differs',
    protocol: 'protocol differs',
    conntrack: 'ctstate differs',
    tcp: 'port differs',
    udp: 'port differs',
    multiport: 'port differs',
    mixed: 'for different reasons',
  },
  notReached: (n) => `${num(n)} rule${s(n)} not reached`,
  notRead: (n) => `${num(n)} rule${s(n)} not read yet`,
  everyPacket: 'every packet',
  drew: (draw, below, matched) => (matched ? `drew ${draw}: below ${below}` : `drew ${draw}: not below ${below}`),
  doesNotMatch: 'does not match',
  underTest: (n, of) => (of === undefined ? `rule ${n}, under test` : `rule ${n} of ${num(of)}, under test`),
  cameBack: 'came back',
  returnsTo: (chain) => `returns to ${chain}`,
  policy: (p) => `no rule matched: policy ${p}`,
  exit: (verdict, table) =>
    verdict === 'ACCEPT'
      ? `ACCEPT: the rest of ${table} is not read`
      : `${verdict} accepts: the rest of ${table} is not read`,
  via: (chain, rule) => `${chain}, rule ${rule}`,
  stub: (rule) => (rule === undefined ? '…' : String(rule)),
  rule: (n) => `rule ${num(n)}`,
  entryTitle: 'conntrack entry',
  entryNew: 'not in the table until confirm',
  entryState: {
    new: 'new connection: both tuples noted, not in the table until confirm',
    found: 'known connection: the entry decides, no nat rule is asked',
    confirmed: 'the entry is in the table now',
    nat: 'the reply tuple now expects the new address',
    destroyed: 'the entry leaves the table',
  },
  original: 'original',
  reply: 'reply',
  translated: (field) =>
    field === 'source'
      ? 'matches the reply tuple: write the original destination as source'
      : 'the entry says where this connection goes: write that destination',
  readOnTheWay: 'Read on the way here',
  natNotRead: '0 read',
  natRules: 'nat rules',
  read: (n) => `${num(n)} read`,
  firstOnly: 'nat is decided by the first packet only',
  routeTitle: 'Route',
  routeTo: 'to',
  routeOut: 'out by',
  routeVia: 'next hop',
  routeLine: 'line of the table',
  routeLocal: 'an address of this machine: delivered here',
  direct: 'none, the address is on this link',
  notAsked: (table) => `${table} was not asked`,
  notAskedReasons: {
    established: 'nat is decided by the first packet of a connection only',
    known: 'nat is decided by the first packet of a connection only',
    'not-first': 'nat is decided by the first packet of a connection only',
    'no-table': 'no table is registered here',
    untracked: 'the packet is not tracked',
    invalid: 'the packet fits no connection',
    empty: 'the table has no rules here',
  },
  dropped: {
    'conntrack-full': 'conntrack table full',
    rule: 'a rule says so',
    policy: 'the policy says so',
    'no-route': 'no route to the destination',
    'no-listener': 'nobody listens on that port',
    'rp-filter': 'the source does not belong on this interface',
    'ttl-exceeded': 'time to live used up',
    'link-down': 'the link is down',
    'no-neighbour': 'the next hop does not answer',
    'mtu-exceeded': 'too long for the link',
    'forwarding-disabled': 'forwarding is off',
    'nat-no-free-tuple': 'no free port for the translation',
    'conntrack-insert-failed': 'another entry has the same tuple',
    blackhole: 'the route is a blackhole',
    prohibit: 'the route prohibits it',
    'martian-source': 'impossible source address',
    'martian-destination': 'impossible destination address',
    'bad-segment': 'not acceptable to the socket',
    'not-for-us': 'not for this machine',
    'bridge-same-port': 'would leave by the port it came in',
    ipvs: 'IPVS has no server for it',
    'no-memory': 'no memory',
  },
  droppedTitle: 'Dropped',
  rejectedTitle: 'Rejected',
  neverReached: (hook, n) => `${hook} ended here. ${n} station${s(n)} ${n === 1 ? 'was' : 'were'} never reached.`,
  symptoms: {
    nothing: 'The client hears nothing and tries again.',
    timeout: 'The client hears nothing and tries again.',
    refused: 'The client sees “Connection refused” at once.',
    ECONNREFUSED: 'The client sees “Connection refused” at once.',
    unreachable: 'The client is told that the address cannot be reached.',
    EHOSTUNREACH: 'The client is told that the address cannot be reached.',
    EPERM: 'The sender sees “Operation not permitted” at once.',
  },
  tableFull: (closing) =>
    closing === 0 ? 'closing states 0: the sweep finds nothing to remove' : `closing states ${num(closing)}`,
  yourAnswer: 'your answer',
  notEntered: 'not entered here',
  notEnteredLine: 'your answer, not entered here',
  predicted: 'predicted, did not happen',
  remarks: (r) => {
    switch (r.code) {
      case 'no-table':
        return 'no table';
      case 'rules-read':
        return `${num(r.count)} rule${s(r.count)}${r.count === 0 ? '' : ' read'}`;
      case 'ct-new':
        return 'new, original tuple noted';
      case 'ct-found':
        return `known, ${r.info}`;
      case 'ct-confirmed':
        return 'entry in the table';
      case 'not-asked':
        return 'not asked';
      case 'route':
        return r.via === undefined ? r.oif : `${r.oif}, via ${r.via}`;
      case 'dropped':
        return 'dropped';
      case 'ahead':
        return 'ahead';
    }
  },
  packet: (n, role, label) => `Packet ${n}, ${role}, ${label}`,
  pin: 'Pin',
  pinRule: (n, chain) => `Pin rule ${n} of ${chain}`,
  mapLabel: 'Cluster map',
  hookLabel: (name) => `Hooks of ${name}`,
  noStage: 'Type a command in a terminal. Its first packet appears here.',
  changed: (n) => `${num(n)} record${s(n)} changed`,
  ready: { ready: 'ready', unready: 'not ready', terminating: 'terminating' },
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'fit',
  hiddenNodes: (n) => `and ${num(n)} more`,
  levels: { map: 'cluster map', node: 'map and hooks', hook: 'hooks' },
};

const zh: Words = {
  cluster: '集群',
  outside: '集群外',
  onNoInterface: '不在任何网卡上',
  onIpvs: '在每个节点的 kube-ipvs0 上',
  destination: '目的地址',
  source: '源地址',
  pods: (n) => `${num(n)} 个 Pod`,
  more: (n) => `+ ${num(n)} 个 Pod`,
  inside: (name) => `${name} 内部`,
  rulesRead: (read, missed) => (read === 0 ? '还没有读规则' : `读了 ${num(read)} 条规则，${num(missed)} 条未命中`),
  noTables: '这里没有注册任何表',
  endsHere: '画面止于包的所在',
  staysHere: '包停在丢弃它的地方',
  partHere: '预测与实际在此分开',
  passed: '已过',
  ahead: '未到',
  noTable: '没有此表',
  route: '路由',
  process: '进程',
  last: '最后',
  localRoad: 'INPUT · 进程 · OUTPUT',
  merged: (n, from, to) => `${n} 站，${from} … ${to}`,
  skipped: (n, reason) => `跳过 ${num(n)} 条：${reason}`,
  reasons: {
    src: '源地址不符',
    dst: '目的地址不符',
    proto: '协议不符',
    sport: '源端口不符',
    dport: '端口不符',
    mark: 'mark 不符',
    iface: '网卡不符',
    in: '网卡不符',
    out: '网卡不符',
    ctstate: 'ctstate 不符',
    addrtype: '地址类型不符',
    set: '不在集合里',
    flags: '标志位不符',
    source: '源地址不符',
    destination: '目的地址不符',
    protocol: '协议不符',
    conntrack: 'ctstate 不符',
    tcp: '端口不符',
    udp: '端口不符',
    multiport: '端口不符',
    mixed: '原因不一',
  },
  notReached: (n) => `${num(n)} 条未到达`,
  notRead: (n) => `${num(n)} 条还没读`,
  everyPacket: '任何包',
  drew: (draw, below, matched) => (matched ? `抽得 ${draw}：小于 ${below}` : `抽得 ${draw}：不小于 ${below}`),
  doesNotMatch: '未命中',
  underTest: (n, of) => (of === undefined ? `第 ${n} 条，正在比对` : `第 ${n} 条，共 ${num(of)} 条，正在比对`),
  cameBack: '已返回',
  returnsTo: (chain) => `返回 ${chain}`,
  policy: (p) => `没有规则命中：默认策略 ${p}`,
  exit: (verdict, table) =>
    verdict === 'ACCEPT' ? `ACCEPT：${table} 余下规则不再读` : `${verdict} 即接受：${table} 余下规则不再读`,
  via: (chain, rule) => `${chain} 第 ${rule} 条`,
  stub: (rule) => (rule === undefined ? '…' : String(rule)),
  rule: (n) => `第 ${num(n)} 条`,
  entryTitle: 'conntrack 表项',
  entryNew: '到 confirm 才入表',
  entryState: {
    new: '新连接：记下两个元组，到 confirm 才入表',
    found: '已知连接：由表项决定，不再问 nat 规则',
    confirmed: '表项已入表',
    nat: '应答元组改为等待新地址',
    destroyed: '表项移出',
  },
  original: '原始',
  reply: '应答',
  translated: (field) =>
    field === 'source' ? '与应答元组相符：把原目的地址写成源地址' : '表项写着这条连接去哪里：写上那个目的地址',
  readOnTheWay: '途中读过的规则',
  natNotRead: '读 0 条',
  natRules: 'nat 规则',
  read: (n) => `读 ${num(n)} 条`,
  firstOnly: 'nat 规则只问首包',
  routeTitle: '路由',
  routeTo: '去往',
  routeOut: '出网卡',
  routeVia: '下一跳',
  routeLine: '路由表的这一行',
  routeLocal: '是本机的地址：在此送达',
  direct: '无，地址就在这条链路上',
  notAsked: (table) => `没有查 ${table} 表`,
  notAskedReasons: {
    established: 'nat 规则只问连接的首包',
    known: 'nat 规则只问连接的首包',
    'not-first': 'nat 规则只问连接的首包',
    'no-table': '这里没有注册此表',
    untracked: '这个包不受跟踪',
    invalid: '这个包不属于任何连接',
    empty: '此表在这里没有规则',
  },
  dropped: {
    'conntrack-full': 'conntrack 表满',
    rule: '规则要求丢弃',
    policy: '默认策略要求丢弃',
    'no-route': '没有到目的地址的路由',
    'no-listener': '这个端口没有监听',
    'rp-filter': '源地址不该从这块网卡来',
    'ttl-exceeded': 'TTL 用尽',
    'link-down': '链路断开',
    'no-neighbour': '下一跳没有应答',
    'mtu-exceeded': '超过链路的 MTU',
    'forwarding-disabled': '没有开启转发',
    'nat-no-free-tuple': '改写时没有空闲端口',
    'conntrack-insert-failed': '已有相同元组的表项',
    blackhole: '路由是 blackhole',
    prohibit: '路由是 prohibit',
    'martian-source': '不可能的源地址',
    'martian-destination': '不可能的目的地址',
    'bad-segment': 'socket 不接受',
    'not-for-us': '不是发给本机的',
    'bridge-same-port': '会从进来的端口出去',
    ipvs: 'IPVS 没有可用的后端',
    'no-memory': '内存不足',
  },
  droppedTitle: '丢弃',
  rejectedTitle: '拒绝',
  neverReached: (hook, n) => `${hook} 到此为止，后面 ${n} 站都没到。`,
  symptoms: {
    nothing: '客户端什么也收不到，会再试。',
    timeout: '客户端什么也收不到，会再试。',
    refused: '客户端立刻看到 “Connection refused”。',
    ECONNREFUSED: '客户端立刻看到 “Connection refused”。',
    unreachable: '客户端得知地址不可达。',
    EHOSTUNREACH: '客户端得知地址不可达。',
    EPERM: '发送方立刻看到 “Operation not permitted”。',
  },
  tableFull: (closing) => (closing === 0 ? '正在关闭的 0 条：内核清扫时无可清除' : `正在关闭的 ${num(closing)} 条`),
  yourAnswer: '你的答案',
  notEntered: '此处没有进入',
  notEnteredLine: '你的答案，此处没有进入',
  predicted: '预测的，没有发生',
  remarks: (r) => {
    switch (r.code) {
      case 'no-table':
        return '没有此表';
      case 'rules-read':
        return r.count === 0 ? '0 条' : `读了 ${num(r.count)} 条`;
      case 'ct-new':
        return '新连接，记下原始元组';
      case 'ct-found':
        return `已知，${r.info}`;
      case 'ct-confirmed':
        return '表项已入表';
      case 'not-asked':
        return '没有查';
      case 'route':
        return r.via === undefined ? r.oif : `${r.oif}，经 ${r.via}`;
      case 'dropped':
        return '丢弃';
      case 'ahead':
        return '未到';
    }
  },
  packet: (n, role, label) => `包 ${n}，${role === 'reply' ? '回包' : '请求'}，${label}`,
  pin: '钉住',
  pinRule: (n, chain) => `钉住 ${chain} 第 ${n} 条`,
  mapLabel: '集群图',
  hookLabel: (name) => `${name} 的钩子`,
  noStage: '在终端输入一条命令，它的第一个包就会出现在这里。',
  changed: (n) => `${num(n)} 条记录有变化`,
  ready: { ready: '就绪', unready: '未就绪', terminating: '终止中' },
  zoomIn: '放大',
  zoomOut: '缩小',
  fit: '适合窗口',
  hiddenNodes: (n) => `还有 ${num(n)} 个`,
  levels: { map: '集群图', node: '图与钩子', hook: '钩子' },
};

const WORDS: Readonly<Record<StageLang, Words>> = { en, zh };
export type StageWords = Words;
export const stageWords = (lang: StageLang): Words => WORDS[lang];

/** Text of a piece: as printed, or in the reader's words. */
export function phraseText(w: Words, p: Phrase): string {
  if (p.as === 'code') return p.text;
  const v = p.values ?? {};
  switch (p.code) {
    case 'every-packet':
      return w.everyPacket;
    case 'drew':
      return w.drew(String(v.draw), String(v.below), v.matched === 1);
    case 'under-test':
      return w.underTest(Number(v.number), undefined);
    case 'does-not-match':
      return w.doesNotMatch;
  }
}

/** One line for a drop: `Dropped: conntrack table full`. */
export function dropTitle(w: Words, d: DropMarks): string {
  const title = d.answered === undefined ? w.droppedTitle : w.rejectedTitle;
  return `${title}${w === zh ? '：' : ': '}${w.dropped[d.reason] ?? d.reason}`;
}
export const thousands = num;
