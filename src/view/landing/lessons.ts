import type { Lang } from '../../explain';

/** A lesson as lists name it; its file holds the rest. */
export interface LessonEntry {
  readonly id: string;
  readonly chapter: number;
  readonly number: number;
  readonly minutes: number;
  readonly title: Readonly<Record<Lang, string>>;
}

export interface ChapterEntry {
  readonly number: number;
  readonly title: Readonly<Record<Lang, string>>;
  readonly lead: Readonly<Record<Lang, string>>;
}

/** Chapters by number; a chapter is listed when it has a lesson. */
export const CHAPTERS: readonly ChapterEntry[] = [
  {
    number: 1,
    title: { en: 'An address that does not exist', zh: '一个不存在的地址' },
    lead: { en: 'One packet there and back, and who wrote the rules.', zh: '一个包去而复返，规则又是谁写的。' },
  },
  {
    number: 2,
    title: { en: 'Who is on the list', zh: '谁在名单上' },
    lead: { en: 'Selectors, readiness, ports, EndpointSlices.', zh: 'selector、就绪、端口、EndpointSlice。' },
  },
  {
    number: 3,
    title: { en: 'Names', zh: '名字' },
    lead: {
      en: 'ndots, search lists, CoreDNS, and DNS as a packet.',
      zh: 'ndots、搜索域、CoreDNS，以及作为包的 DNS。',
    },
  },
  {
    number: 4,
    title: { en: 'What the kernel remembers', zh: '内核记得什么' },
    lead: {
      en: 'conntrack: states, timeouts, and what happens when it is full.',
      zh: 'conntrack：状态、超时，以及表满时会怎样。',
    },
  },
  {
    number: 5,
    title: { en: 'From outside', zh: '从外面进来' },
    lead: {
      en: 'NodePort, LoadBalancer, traffic policies, who sees which source.',
      zh: 'NodePort、LoadBalancer、流量策略，谁看到哪个源地址。',
    },
  },
  {
    number: 6,
    title: { en: 'Change', zh: '变化' },
    lead: {
      en: 'Old works, new does not. Draining, affinity, being kube-proxy.',
      zh: '旧的通，新的不通。排空、亲和、当一回 kube-proxy。',
    },
  },
  {
    number: 7,
    title: { en: 'Below the Service', zh: 'Service 之下' },
    lead: { en: 'FORWARD, hairpin, bridge, MTU, two rule books.', zh: 'FORWARD、发夹、网桥、MTU、两本规则。' },
  },
  {
    number: 8,
    title: { en: 'Other engines', zh: '另外的引擎' },
    lead: { en: 'IPVS and nftables: the same packet, other work.', zh: 'IPVS 与 nftables：同一个包，不同的活。' },
  },
];

export const LESSONS: readonly LessonEntry[] = [
  { id: 'first-packet', chapter: 1, number: 1, minutes: 10, title: { en: 'The first packet', zh: '第一个包' } },
  { id: 'empty-list', chapter: 2, number: 1, minutes: 10, title: { en: 'The empty list', zh: '空名单' } },
  { id: 'conntrack-full', chapter: 4, number: 1, minutes: 15, title: { en: 'The table is full', zh: '表满了' } },
];

export const lessonById = (id: string | undefined): LessonEntry | undefined => LESSONS.find((l) => l.id === id);
