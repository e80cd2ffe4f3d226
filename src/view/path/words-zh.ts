import { type StageWords, thousands } from './words';

/** The stage's words in Chinese; loaded when they are read. */
export const zh: StageWords = {
  colon: '：',
  cluster: '集群',
  outside: '集群外',
  onNoInterface: '不在任何网卡上',
  onIpvs: '在每个节点的 kube-ipvs0 上',
  destination: '目的地址',
  source: '源地址',
  pods: (n) => `${thousands(n)} 个 Pod`,
  more: (n) => `+ ${thousands(n)} 个 Pod`,
  inside: (name) => `${name} 内部`,
  rulesRead: (read, missed) =>
    read === 0 ? '还没有读规则' : `读了 ${thousands(read)} 条规则，${thousands(missed)} 条未命中`,
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
  skipped: (n, reason) => `跳过 ${thousands(n)} 条：${reason}`,
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
  notReached: (n) => `${thousands(n)} 条未到达`,
  notRead: (n) => `${thousands(n)} 条还没读`,
  everyPacket: '任何包',
  drew: (draw, below, matched) => (matched ? `抽得 ${draw}：小于 ${below}` : `抽得 ${draw}：不小于 ${below}`),
  doesNotMatch: '未命中',
  underTest: (n, of) => (of === undefined ? `第 ${n} 条，正在比对` : `第 ${n} 条，共 ${thousands(of)} 条，正在比对`),
  cameBack: '已返回',
  returnsTo: (chain) => `返回 ${chain}`,
  policy: (p) => `没有规则命中：默认策略 ${p}`,
  exit: (verdict, table) =>
    verdict === 'ACCEPT' ? `ACCEPT：${table} 余下规则不再读` : `${verdict} 即接受：${table} 余下规则不再读`,
  via: (chain, rule) => `${chain} 第 ${rule} 条`,
  stub: (rule) => (rule === undefined ? '…' : String(rule)),
  rule: (n) => `第 ${thousands(n)} 条`,
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
  read: (n) => `读 ${thousands(n)} 条`,
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
  tableFull: (closing) =>
    closing === 0 ? '正在关闭的 0 条：内核清扫时无可清除' : `正在关闭的 ${thousands(closing)} 条`,
  yourAnswer: '你的答案',
  notEntered: '此处没有进入',
  notEnteredLine: '你的答案，此处没有进入',
  predicted: '预测的，没有发生',
  remarks: (r) => {
    switch (r.code) {
      case 'no-table':
        return '没有此表';
      case 'rules-read':
        return r.count === 0 ? '0 条' : `读了 ${thousands(r.count)} 条`;
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
  changed: (n) => `${thousands(n)} 条记录有变化`,
  ready: { ready: '就绪', unready: '未就绪', terminating: '终止中' },
  zoomIn: '放大',
  zoomOut: '缩小',
  fit: '适合窗口',
  hiddenNodes: (n) => `还有 ${thousands(n)} 个`,
  levels: { map: '集群图', node: '图与钩子', hook: '钩子' },
};
