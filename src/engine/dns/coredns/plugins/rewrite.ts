import {
  CLASSES,
  type DnsMsg,
  type Question,
  RCODES,
  type RR,
  rdataWords,
  replyTo,
  TYPES,
  targetOf,
} from '../../message';
import { isDomainName } from '../../names';
import { CorefileError } from '../corefile';
import { normalName } from '../normalize';
import {
  clientWrite,
  copyMsg,
  type Handler,
  nextOrFailure,
  OK,
  type PluginSpec,
  qnameOf,
  qtypeOf,
  type Serve,
  type ServeCtx,
  type Writer,
} from '../plugin';
import { goRegExp, groupCount } from '../regexp';

/** Changes one record of an answer on its way back, or (`message`) the whole header once. */
interface ResponseRule {
  record?(r: RR, m: DnsMsg): RR;
  message?(m: DnsMsg): void;
}

interface Rule {
  readonly mode: 'stop' | 'continue';
  /** The rules for the answer when this one applied to the query, else undefined. Changes the question. */
  apply(r: DnsMsg): readonly ResponseRule[] | undefined;
}

type Rewriter = (name: string) => string;

/** Writes another name into a record's data. */
function setTarget(r: RR, value: string): RR {
  const w = rdataWords(r.rdata);
  switch (r.type) {
    case 'MX':
      return { ...r, rdata: `${w[0]} ${value}` };
    case 'SRV':
      return { ...r, rdata: `${w[0]} ${w[1]} ${w[2]} ${value}` };
    case 'SOA':
      return { ...r, rdata: [value, ...w.slice(1)].join(' ') };
    case 'NAPTR':
      return { ...r, rdata: [...w.slice(0, 5), value].join(' ') };
    default:
      return { ...r, rdata: value };
  }
}

const ownerRule = (f: Rewriter): ResponseRule => ({ record: (r) => ({ ...r, name: f(r.name) }) });
const valueRule = (f: Rewriter): ResponseRule => ({
  record: (r) => {
    const target = targetOf(r);
    const now = target === '' ? '' : f(target);
    return now === target ? r : setTarget(r, now);
  },
});

const fill = (template: string, groups: readonly (string | undefined)[]): string =>
  groups.reduce<string>((s, g, i) => s.replaceAll(`{${i}}`, g ?? ''), template);

const byRegex =
  (re: RegExp, to: string): Rewriter =>
  (s) => {
    const m = re.exec(s);
    return m ? fill(to, m) : s;
  };
/** Maps a name and everything below it. */
const byRemap =
  (from: string, to: string): Rewriter =>
  (s) => {
    if (s === from) return to;
    return s.endsWith(`.${from}`) ? s.slice(0, s.length - from.length) + to : s;
  };
const bySuffix =
  (suffix: string, to: string): Rewriter =>
  (s) =>
    s.endsWith(suffix) ? s.slice(0, s.length - suffix.length) + to : s;

function setName(r: DnsMsg, name: string): void {
  const q = r.question[0] as Question;
  r.question = [{ ...q, name }, ...r.question.slice(1)];
}

function pattern(from: string, to: string): RegExp {
  const re = goRegExp(from);
  if (typeof re === 'string') throw new CorefileError(`invalid regex matching pattern: ${from}`);
  let used = 0;
  for (let i = 0; i <= 100; i++) if (to.includes(`{${i}}`)) used++;
  if (used > groupCount(re))
    throw new CorefileError(
      `the rewrite regex pattern (${to}) uses more subexpressions than its corresponding matching regex pattern (${from})`,
    );
  return re;
}

/** `answer auto`, `answer name FROM TO`, `answer value FROM TO`, several after another. */
function answerRules(match: string, args: readonly string[]): { auto: boolean; rules: ResponseRule[] } {
  if (args.length < 2) throw new CorefileError(`invalid arguments for ${match} rule`);
  const rules: ResponseRule[] = [];
  let auto = false;
  let names = 0;
  let last = '';
  for (let i = 0; i < args.length; ) {
    if (last === '' && args[i] !== 'answer')
      throw new CorefileError(`exceeded the number of arguments for a non-answer rule argument for ${match} rule`);
    if (args[i] === 'answer') i++;
    if (i >= args.length) throw new CorefileError(`type missing for answer rule for ${match} rule`);
    last = args[i++] as string;
    if (last === 'auto') {
      auto = true;
      continue;
    }
    if (last !== 'name' && last !== 'value')
      throw new CorefileError(`invalid type ${JSON.stringify(last)} for answer rule for ${match} rule`);
    if (args.length - i < 2) throw new CorefileError(`${last} answer rule for ${match} rule: 2 arguments required`);
    const f = byRegex(pattern(args[i] as string, args[i + 1] as string), normalName(args[i + 1] as string));
    rules.push(last === 'name' ? ownerRule(f) : valueRule(f));
    if (last === 'name') names++;
    i += 2;
  }
  if (auto && names > 0)
    throw new CorefileError('auto name answer rule cannot be combined with explicit name anwer rules');
  return { auto, rules };
}

function nameRule(mode: Rule['mode'], args: readonly string[]): Rule {
  if (args.length < 2) throw new CorefileError('too few arguments for a name rule');
  const match = args.length === 2 ? 'exact' : (args[0] as string).toLowerCase();
  const [rawFrom, rawTo] = (args.length === 2 ? args : args.slice(1)) as [string, string];
  const { auto, rules } = args.length > 3 ? answerRules(match, args.slice(3)) : { auto: false, rules: [] };
  const from = match === 'regex' ? rawFrom : normalName(rawFrom);
  const to = normalName(rawTo);
  /** Auto: the answer gets the asked name back. */
  const back = (r: DnsMsg, asked: string, always: boolean): ResponseRule[] => {
    if (!always && !auto) return rules;
    const f = byRemap(r.question[0]?.name ?? '.', asked);
    return [ownerRule(f), valueRule(f), ...rules];
  };
  const rule = (rewrite: (name: string) => string | undefined, always = false): Rule => ({
    mode,
    apply(r) {
      const asked = qnameOf(r);
      const now = rewrite(asked);
      if (now === undefined) return undefined;
      setName(r, now);
      return back(r, asked, always);
    },
  });
  switch (match) {
    case 'exact':
      pattern(to, from);
      return rule((n) => (n === from ? to : undefined), true);
    case 'prefix':
      return rule((n) => (n.startsWith(from) ? to + n.slice(from.length) : undefined));
    case 'suffix': {
      const f = bySuffix(to, from);
      const answer = auto ? [ownerRule(f), valueRule(f), ...rules] : rules;
      return {
        mode,
        apply(r) {
          const asked = qnameOf(r);
          if (!asked.endsWith(from)) return undefined;
          setName(r, asked.slice(0, asked.length - from.length) + to);
          return answer;
        },
      };
    }
    case 'substring':
      return rule((n) => (n.includes(from) ? n.replaceAll(from, to) : undefined));
    case 'regex': {
      const re = pattern(from, rawTo);
      return rule((n) => {
        const m = re.exec(n);
        return m ? fill(to, m) : undefined;
      });
    }
    default:
      throw new CorefileError(
        `name rule supports only exact, prefix, suffix, substring, and regex name matching, received: ${match}`,
      );
  }
}

/** The name test shared by ttl, rcode and cname rules: `[exact|prefix|suffix|substring|regex] NAME`. */
function nameTest(kind: string, args: readonly string[]): (name: string) => boolean {
  const how = args.length === 1 ? 'exact' : (args[0] as string).toLowerCase();
  const text = args[args.length - 1] as string;
  const name = normalName(text);
  switch (how) {
    case 'exact':
      return (n) => n === name;
    case 'prefix':
      return (n) => n.startsWith(name);
    case 'suffix':
      return (n) => n.endsWith(name);
    case 'substring':
      return (n) => n.includes(name);
    case 'regex': {
      const re = goRegExp(text);
      if (typeof re === 'string') throw new CorefileError(`invalid regex pattern in a ${kind} rule: ${text}`);
      return (n) => re.test(n);
    }
    default:
      throw new CorefileError(`${kind} rule supports only exact, prefix, suffix, substring, and regex name matching`);
  }
}

function ttlRule(mode: Rule['mode'], args: readonly string[]): Rule {
  if (args.length < 2) throw new CorefileError(`too few (${args.length}) arguments for a ttl rule`);
  if (args.length > 3) throw new CorefileError('many few arguments for a ttl rule');
  const spec = args[args.length - 1] as string;
  const m = /^([0-9]*)(-?)([0-9]*)$/.exec(spec);
  const min = Number(m?.[1] ?? 0);
  const max = m?.[2] === '' ? min : m?.[3] === '' ? 2147483647 : Number(m?.[3]);
  if (!m || spec === '' || spec === '-' || min > max) throw new CorefileError(`invalid TTL '${spec}' for a ttl rule`);
  const test = nameTest('ttl', args.slice(0, -1));
  const clamp: ResponseRule = { record: (r) => ({ ...r, ttl: Math.min(Math.max(r.ttl, min), max) }) };
  return { mode, apply: (r) => (test(qnameOf(r)) ? [clamp] : undefined) };
}

function rcodeOf(text: string): string | undefined {
  if (/^[0-9]+$/.test(text)) return Object.keys(RCODES).find((k) => RCODES[k] === Number(text));
  return RCODES[text.toUpperCase()] === undefined ? undefined : text.toUpperCase();
}

function rcodeRule(mode: Rule['mode'], args: readonly string[]): Rule {
  if (args.length < 3) throw new CorefileError(`too few (${args.length}) arguments for a rcode rule`);
  if (args.length > 4) throw new CorefileError('many few arguments for a rcode rule');
  const [oldText, newText] = args.slice(-2) as [string, string];
  const before = rcodeOf(oldText);
  const after = rcodeOf(newText);
  if (!before) throw new CorefileError(`invalid matching RCODE '${oldText}' for a rcode rule`);
  if (!after) throw new CorefileError(`invalid replacement RCODE '${newText}' for a rcode rule`);
  const test = nameTest('rcode', args.slice(0, -2));
  const change = (m: DnsMsg): void => {
    if (m.rcode === before) m.rcode = after;
  };
  const rule: ResponseRule = {
    message: change,
    record: (r, m) => {
      change(m);
      return r;
    },
  };
  return { mode, apply: (r) => (test(qnameOf(r)) ? [rule] : undefined) };
}

function typeRule(mode: Rule['mode'], [from, to]: readonly string[]): Rule {
  const [a, b] = [(from ?? '').toUpperCase(), (to ?? '').toUpperCase()];
  for (const t of [a, b]) if (TYPES[t] === undefined) throw new CorefileError(`invalid type ${JSON.stringify(t)}`);
  return {
    mode,
    apply(r) {
      if (qtypeOf(r) !== a) return undefined;
      r.question = [{ ...(r.question[0] as Question), type: b }, ...r.question.slice(1)];
      return [];
    },
  };
}

function classRule(mode: Rule['mode'], [from, to]: readonly string[]): Rule {
  const [a, b] = [(from ?? '').toUpperCase(), (to ?? '').toUpperCase()];
  for (const t of [a, b]) if (CLASSES[t] === undefined) throw new CorefileError(`invalid class ${JSON.stringify(t)}`);
  return {
    mode,
    apply(r) {
      if (r.question[0]?.class !== a) return undefined;
      r.question = [{ ...r.question[0], class: b }, ...r.question.slice(1)];
      return [];
    },
  };
}

function parseRule(args: readonly string[]): Rule {
  const first = args[0]?.toLowerCase();
  if (first === undefined) throw new CorefileError('no rule type specified for rewrite');
  const moded = first === 'continue' || first === 'stop';
  if (moded && args.length < 2) throw new CorefileError(`${first} rule must begin with a rule type`);
  const mode = first === 'continue' ? 'continue' : 'stop';
  const kind = moded ? (args[1] as string).toLowerCase() : first;
  const rest = args.slice(moded ? 2 : 1);
  const two = (): void => {
    if (rest.length !== 2) throw new CorefileError(`${kind} rules must have exactly two arguments`);
  };
  switch (kind) {
    case 'answer':
      throw new CorefileError('response rewrites must begin with a name rule');
    case 'name':
      return nameRule(mode, rest);
    case 'class':
      two();
      return classRule(mode, rest);
    case 'type':
      two();
      return typeRule(mode, rest);
    case 'ttl':
      return ttlRule(mode, rest);
    case 'rcode':
      return rcodeRule(mode, rest);
    default:
      throw new CorefileError(`invalid rule type ${JSON.stringify(args[0])}`);
  }
}

/** Rewrites queries, and answers back (plugin/rewrite). */
class Rewrite implements Handler {
  readonly name = 'rewrite';
  constructor(
    private readonly rules: readonly Rule[],
    private readonly next: Handler | undefined,
  ) {}

  *serve(ctx: ServeCtx, w: Writer, r: DnsMsg): Serve {
    const original = r.question;
    const back: ResponseRule[] = [];
    let stopped = false;
    for (const rule of this.rules) {
      const answer = rule.apply(r);
      if (!answer) continue;
      const name = r.question[0]?.name ?? '';
      if (!isDomainName(name)) {
        r.question = original;
        return { rcode: 'SERVFAIL', err: `invalid name after rewrite: ${name}` };
      }
      back.push(...answer);
      if (rule.mode === 'stop') {
        stopped = true;
        break;
      }
    }
    if (!stopped && back.length === 0) return yield* nextOrFailure(this.name, this.next, ctx, w, r);
    const writer: Writer = { peer: w.peer, write: (m) => w.write(revert(m, original, back)) };
    const result = yield* nextOrFailure(this.name, this.next, ctx, writer, r);
    if (clientWrite(result.rcode)) return result;
    // Nothing was written yet; the server itself would answer past the rules.
    writer.write(replyTo(r, result.rcode));
    return result.err === undefined ? OK : { rcode: 'NOERROR', err: result.err };
  }
}

function revert(msg: DnsMsg, original: DnsMsg['question'], back: readonly ResponseRule[]): DnsMsg {
  const m = copyMsg(msg);
  m.question = [original[0] as Question, ...m.question.slice(1)];
  if (back.length === 0) return m;
  const rules = [...back].reverse();
  const change = (rrs: readonly RR[]): RR[] => rrs.map((r) => rules.reduce((x, rule) => rule.record?.(x, m) ?? x, r));
  const empty = m.answer.length + m.authority.length + m.additional.length === 0;
  m.authority = change(m.authority);
  m.answer = change(m.answer);
  m.additional = change(m.additional);
  if (empty) for (const rule of rules) rule.message?.(m);
  return m;
}

export const rewrite: PluginSpec = {
  name: 'rewrite',
  setup(c) {
    const rules: Rule[] = [];
    while (c.next()) {
      const args = c.remainingArgs();
      if (args.length < 2) while (c.nextBlock()) args.push(c.val());
      rules.push(parseRule(args));
    }
    c.addPlugin((next) => new Rewrite(rules, next));
  },
};
