import type { Catalogue, Scene, Told } from '../catalogue';
import { conditionsOf, effectOf, failedCondition } from '../conditions';
import {
  destinationOf,
  deviceName,
  drawText,
  endpoint,
  hex,
  joinedChanges,
  l4Field,
  netnsName,
  num,
  packetKind,
  routeText,
  seconds,
  sourceOf,
  tupleText,
} from '../format';
import { does, dropWhy, fieldName, holds, list, notWalked, skipped, symptom, wants } from './words';

const named = (s: Scene, ip: string, port?: number): string => {
  const name = s.nameOf(ip);
  return name === undefined ? endpoint(ip, port) : `${name}（${endpoint(ip, port)}）`;
};
const here = (s: Scene): string => netnsName(s.where.netns ?? s.where.node);

/** 每一种事件的中文句子。 */
export const sentences: Catalogue = {
  'pkt.made': (f, s) => ({
    what:
      f.by === 'kernel'
        ? `${here(s)} 的内核从 ${sourceOf(f.packet)} 向 ${destinationOf(f.packet)} 发出 ${packetKind(f.packet)}`
        : `${here(s)} 从 ${sourceOf(f.packet)} 向 ${destinationOf(f.packet)} 发出 ${packetKind(f.packet)}`,
  }),
  'dev.rcv': (f, s) => ({ what: `从 ${deviceName(f.dev)} 进入 ${here(s)}` }),
  'dev.xmit': (f, s) => ({ what: `从 ${deviceName(f.dev)} 离开 ${here(s)}，去往 ${deviceName(f.to) || f.to}` }),
  'bridge.forward': (f) => ({
    what: `网桥 ${deviceName(f.bridge)} 把包从 ${deviceName(f.in)} 送到 ${deviceName(f.out)}`,
  }),
  'nf.station': (f) =>
    f.walked
      ? { what: `来到 ${f.station}，优先级 ${f.priority}` }
      : {
          what: `没有查 ${f.station}`,
          ...(f.reason === undefined ? {} : { why: `没有查 ${f.station} 表：${notWalked(f.reason)}` }),
        },
  'nf.skip': (f) => ({ what: `跳过 ${num(f.count)} 条：${skipped(f.reason)}` }),
  'nf.rule': ruleSentence,
  'nf.return': (f) => ({ what: `${f.chain} 走完，返回${f.to === '' ? '上一级链' : ` ${f.to}`}` }),
  'nf.policy': (f) => ({
    what: `${f.chain} 里没有规则作出裁决，默认策略是 ${f.policy}`,
    why: f.policy === 'ACCEPT' ? `${f.chain} 里没有规则命中，包继续走` : undefined,
  }),
  'pkt.rewrite': (f, s) => ({
    what: REWRITES[f.how] ?? `改写（${f.how}）`,
    changed: joinedChanges(f.fields)
      .map((c) => `${fieldName(c.field)}原为 ${c.before}，现为 ${c.after}`)
      .join('。'),
    why: s.packet !== undefined && s.packet.n > 1 && f.how !== 'reverse' ? REWRITE_WHY.entry : REWRITE_WHY[f.how],
  }),
  'pkt.mark': (f) => ({
    what: '包打上了标记',
    changed: `标记原为 ${hex(f.before)}，现为 ${hex(f.after)}`,
    why: '标记只留在这个内核里，别的机器看不到',
  }),
  'ct.new': (f) => ({
    what: `新连接，记下表项：${tupleText(f.ct.orig)}`,
    why: '没有表项对得上这个包；新表项到 confirm 才入表',
  }),
  'ct.found': (f) => ({
    what: `属于已知连接，${f.dir === 'original' ? '原始方向' : '应答方向'}`,
    changed:
      f.stateBefore !== undefined && f.ct.state !== undefined && f.stateBefore !== f.ct.state
        ? `状态原为 ${f.stateBefore}，现为 ${f.ct.state}`
        : undefined,
    why: `表项写着 ${tupleText(f.dir === 'original' ? f.ct.orig : f.ct.reply)}，和包一致`,
  }),
  'ct.invalid': (f) => ({ what: `连接表判为 INVALID：${f.why}` }),
  'ct.untracked': () => ({ what: '不跟踪：没有查连接表' }),
  'ct.nat': (f) => ({
    what: `表项记下${f.manip === 'dst' ? '目的地址' : '源地址'}的改写`,
    changed: `回包会是 ${tupleText(f.ct.reply)}`,
  }),
  'ct.confirm': (f) => ({
    what: `表项入表，现有 ${num(f.count)} 行`,
    changed: `原始 ${tupleText(f.ct.orig)}，应答 ${tupleText(f.ct.reply)}`,
    why: `包离开本节点，表项确认入表；没有新包时保留 ${seconds(f.timeoutUs)}`,
  }),
  'ct.full': (f) => ({
    what: `连接表已满：上限 ${num(f.max)}，现有 ${num(f.count)}`,
    why: `nf_conntrack_max 为 ${num(f.max)}，已用满，附近几个桶里没有能让位的表项，所以包得不到表项`,
  }),
  'ct.evict': (f) => ({
    what:
      f.why === 'early-drop'
        ? `没有 ASSURED 的表项让位：${tupleText(f.ct.orig)}`
        : `清扫移走正在关闭的连接的表项：${tupleText(f.ct.orig)}`,
  }),
  'ct.destroy': (f) => ({ what: `表项 ${tupleText(f.ct.orig)} 移出（${f.why}）` }),
  'ct.clash': (f) => ({
    what: f.resolved ? '另一个包先确认了同样的元组，这个包改用它的表项' : '另一个包先确认了同样的元组，这个包失去表项',
  }),
  route: (f) => {
    const to = f.packet.ip.dst;
    if (f.result === 'local') return { what: `到 ${to} 的路由：本机就有这个地址` };
    if (f.oif === undefined) return { what: `到 ${to} 的路由：${f.result}` };
    const via = f.via === undefined ? '就在本链路上' : `下一跳 ${f.via}`;
    return {
      what: `到 ${to} 的路由：从 ${deviceName(f.oif)} 出去，${via}`,
      why: f.routeKey === undefined ? undefined : `路由 ${routeText(f.routeKey)} 最符合 ${to}`,
    };
  },
  'pkt.deliver': (f, s) => ({
    what: `到达 ${here(s)}，${destinationOf(f.packet)}`,
    why: `它看到的源地址是 ${named(s, f.packet.ip.src, portOf(l4Field(f.packet, 'sport')))}`,
  }),
  'pkt.drop': (f) => ({
    what: `${f.cause.answered === undefined ? '丢弃' : '拒绝'}：${dropWhy(f.cause.reason)}`,
    why: `发送方${symptom(f.symptom)}`,
  }),
  'sock.state': (f) => ({ what: `${f.proto} 套接字`, changed: `状态原为 ${f.before}，现为 ${f.after}` }),
  'proc.start': (f) => ({ what: `启动：${f.argv.join(' ')}` }),
  'proc.output': (f) => ({ what: `${f.fd === 2 ? '向 stderr 输出' : '输出'}：${oneLine(f.text)}` }),
  'proc.exit': (f) => ({ what: `进程结束，退出码 ${f.exit}` }),
  'dns.lookup': (f) => ({ what: `解析 ${f.name}`, why: `依次尝试：${f.candidates.join('，')}` }),
  'dns.query': (f) => ({ what: `向 ${f.server} 查询 ${f.type} ${f.name}` }),
  'dns.answer': (f) => ({
    what:
      f.answers.length === 0
        ? `${f.type} ${f.name}：${f.rcode}，没有记录`
        : `${f.type} ${f.name} 是 ${f.answers.join('，')}`,
  }),
  'kernel.log': (f) => ({ what: `内核日志：${f.line}` }),
  'sysctl.set': (f) => ({ what: `设置 ${f.key}`, changed: `值原为 ${f.before}，现为 ${f.after}` }),
  'link.set': (f) => ({ what: `${deviceName(f.dev)} ${f.up ? '启用' : '停用'}` }),
  'nf.ruleset': (f) => ({
    what: `${f.by} 写入规则（${f.tables.join('，')}）`,
    changed: `规则原有 ${num(f.rulesBefore)} 条，现有 ${num(f.rulesAfter)} 条`,
  }),
  'api.write': (f) => ({
    what: `API Server 存下 ${f.kind} ${objectName(f.namespace, f.name)}：${f.by} 执行 ${f.verb}，resourceVersion ${f.resourceVersion}`,
  }),
  'ctl.sync': (f) => ({ what: `${f.controller} 检查 ${f.key}：${f.changed ? '写入改动' : '没有要改的'}` }),
  'proxy.notice': (f) => ({
    what: `${f.node} 的 kube-proxy 得知 ${f.kind} ${objectName(f.namespace, f.name)} 有变化`,
  }),
  'proxy.sync': (f) => ({
    what: `${f.node} 的 kube-proxy 写入${f.full ? '全部规则' : '变化的部分'}：${num(f.services)} 个 Service，${num(f.endpoints)} 个端点，${f.mode} 模式`,
  }),
  'proxy.synced': (f) => ({
    what: `${f.node} 的 kube-proxy 同步完成`,
    changed: `规则原有 ${num(f.rulesBefore)} 条，现有 ${num(f.rulesAfter)} 条`,
  }),
  'command.start': (f) => ({ what: `${f.place}：${f.line}` }),
  'command.end': (f) => ({ what: `命令结束，退出码 ${f.exit}` }),
  'state.changed': (f) => ({ what: `${num(f.count)} 条数据在没有包的情况下变化` }),
  assumed: (f) => ({ what: `不确定：${f.what} 未知`, why: `假定 ${f.assumption}，继续往下走` }),
};

const REWRITES: Readonly<Record<string, string>> = {
  dnat: '改写目的地址',
  snat: '改写源地址',
  masquerade: '改写源地址',
  reverse: '按表项还原',
  icmp: '按表项改写 ICMP 错误',
  nat: '按表项改写',
  entry: '按表项改写',
  ttl: '又过了一台路由器',
  mark: '改写标记',
};
const REWRITE_WHY: Readonly<Record<string, string | undefined>> = {
  dnat: '规则选定了新的目的地址；两个地址都记进表项，留给回包用',
  snat: '两个源地址都记进表项，回包靠它找回来',
  icmp: 'ICMP 错误里引用的那个包也一并还原',
  masquerade: '包上有标记 0x4000，所以源地址改为出口网卡的地址',
  reverse: '表项记着这条连接当初问的是什么，所以还原成它；一条 nat 规则都没读',
  nat: '首包建立的表项这样写着；一条 nat 规则都没读',
  entry: '首包建立的表项这样写着；一条 nat 规则都没读',
};

const portOf = (v: unknown): number | undefined => (typeof v === 'number' ? v : undefined);
const oneLine = (text: string): string => {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.length === 1 ? (lines[0] as string) : `${lines[0]}，另有 ${num(lines.length - 1)} 行`;
};
const objectName = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);

function ruleSentence(f: Parameters<Catalogue['nf.rule']>[0]): Told {
  const rule = `第 ${f.number} 条`;
  const effect = effectOf(f);
  if (f.draw !== undefined) {
    const { drew, needs } = drawText(f.draw.value, f.draw.below);
    const sentence = `${rule}抽得 ${drew}，需小于 ${needs}：${f.matched ? '命中' : '未命中'}`;
    return {
      what: sentence,
      why: f.matched ? `${drew} 小于 ${needs}，所以包${does(effect)}` : `${drew} 不小于 ${needs}`,
    };
  }
  if (!f.matched) {
    const c = failedCondition(f.matches);
    return { what: `${rule}未命中`, why: c === undefined ? undefined : `${rule}要求${wants(c)}` };
  }
  const goes = effect.kind === 'jump' ? `，进入 ${effect.chain} 链` : f.target === null ? '' : `，${f.target}`;
  const conditions = conditionsOf(f.matches);
  const addressed = conditions.some((c) => c.field !== 'protocol');
  const protocol = conditions.find((c) => c.field === 'protocol');
  const why = addressed
    ? `${rule}命中，因为${list(conditions.map(holds))}，所以包${does(effect)}`
    : protocol !== undefined
      ? `${rule}没有地址条件，所以到达这条链的每个 ${protocol.wanted.toUpperCase()} 包都${does(effect)}`
      : `${rule}没有条件，所以到达这条链的每个包都${does(effect)}`;
  return { what: `命中第 ${f.number} 条${goes}`, why };
}
