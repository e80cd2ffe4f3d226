import { Deflate, Inflate } from 'fflate';
import * as z from 'zod/mini';
import type { Anchor } from './anchor';
import type { Recipe, SessionError } from './protocol';

/** What a link carries: everything to open the same world at the same step. Nothing of it is ever sent to a server. */
export interface LinkState {
  readonly v: 1;
  /** A shipped scenario by id, and/or a full recipe (what was done on top of it, or a sandbox). */
  readonly scenario?: string;
  readonly recipe?: Recipe;
  readonly anchor?: Anchor;
  /** Hash of the trace up to the anchor when the link was made. */
  readonly hash?: string;
  readonly lang?: 'en' | 'zh';
  readonly theme?: 'light' | 'dark';
}

/** Caps of hostile input: the fragment, and what it may inflate to (bytes). */
export const MAX_FRAGMENT = 32_768;
export const MAX_INFLATED = 1_048_576;

const text = (max: number) => z.string().check(z.maxLength(max));
const placeSchema = z.union([
  z.strictObject({ kind: z.literal('workstation') }),
  z.strictObject({ kind: z.literal('node'), name: text(253) }),
  z.strictObject({ kind: z.literal('pod'), namespace: text(63), name: text(253) }),
  z.strictObject({ kind: z.literal('machine'), name: text(253) }),
]);
const record = z.record(text(1000), z.unknown());
const commandSchema = z.union([
  z.strictObject({
    op: z.literal('run'),
    place: placeSchema,
    argv: z.array(text(65_536)).check(z.maxLength(1000)),
    stdin: z.optional(text(MAX_INFLATED)),
    files: z.optional(z.record(text(1000), text(MAX_INFLATED))),
    env: z.optional(z.record(text(1000), text(65_536))),
    cwd: z.optional(text(1000)),
    cols: z.optional(z.int().check(z.minimum(1), z.maximum(10_000))),
    uid: z.optional(z.int().check(z.minimum(0), z.maximum(0xffffffff))),
    terminal: z.optional(text(200)),
    line: z.optional(text(65_536)),
    background: z.optional(z.boolean()),
    maxUs: z.optional(z.int()),
  }),
  z.strictObject({ op: z.literal('apply'), yaml: text(MAX_INFLATED), file: z.optional(text(1000)) }),
  z.strictObject({ op: z.literal('advance'), us: z.int().check(z.minimum(0), z.maximum(864_000_000_000)) }),
  z.strictObject({
    op: z.literal('inject'),
    netns: text(300),
    dev: text(300),
    packet: record,
    dstMac: z.optional(text(17)),
    srcMac: z.optional(text(17)),
  }),
  z.strictObject({ op: z.literal('fault'), name: text(100), args: record }),
]);
const cutSchema = z.strictObject({
  op: z.literal('cut'),
  seq: z.int().check(z.minimum(0), z.maximum(10_000_000)),
  command: commandSchema,
});
const recipeSchema = z.strictObject({
  format: z.literal(1),
  seed: z.int().check(z.minimum(0), z.maximum(0xffffffff)),
  cluster: z.strictObject({
    profile: z.enum(['three-nodes', 'two-netns', 'lab-netfilter', 'lab-proxy', 'lab-cli']),
    nodes: z.optional(z.int().check(z.minimum(1), z.maximum(12))),
    proxyMode: z.optional(z.enum(['iptables', 'ipvs', 'nftables'])),
    proxyFlags: z.optional(z.array(text(200)).check(z.maxLength(50))),
    manifests: z.optional(text(MAX_INFLATED)),
    sysctls: z.optional(
      z.array(z.strictObject({ netns: text(300), key: text(200), value: text(200) })).check(z.maxLength(200)),
    ),
  }),
  commands: z.array(z.union([commandSchema, cutSchema])).check(z.maxLength(5000)),
});
const nat = z.int().check(z.minimum(0), z.maximum(10_000_000));
const anchorSchema = z.strictObject({
  flow: z.optional(z.strictObject({ label: text(300), nth: nat })),
  packet: z.optional(nat),
  netns: z.optional(text(300)),
  hook: z.optional(text(40)),
  table: z.optional(text(40)),
  chain: z.optional(text(200)),
  rule: z.optional(nat),
  kind: text(60),
  nth: nat,
  seq: nat,
});
const linkSchema = z.strictObject({
  v: z.literal(1),
  scenario: z.optional(text(100).check(z.regex(/^[a-z0-9.-]+$/))),
  recipe: z.optional(recipeSchema),
  anchor: z.optional(anchorSchema),
  hash: z.optional(text(16).check(z.regex(/^[0-9a-f]{16}$/))),
  lang: z.optional(z.enum(['en', 'zh'])),
  theme: z.optional(z.enum(['light', 'dark'])),
});

/** `s=` and the state: JSON, raw deflate, base64url. */
export function encodeLink(state: LinkState): string {
  const parts: Uint8Array[] = [];
  const d = new Deflate({ level: 9 }, (chunk) => parts.push(chunk));
  d.push(new TextEncoder().encode(JSON.stringify(state)), true);
  return `s=${toBase64Url(concat(parts))}`;
}

/** Reads a fragment (with or without '#'). A damaged or hostile one gives an error and nothing else. */
export function decodeLink(fragment: string): { ok: true; value: LinkState } | { ok: false; error: SessionError } {
  const bad = (code: string, message: string, field?: string, expected?: string) =>
    ({ ok: false, error: { code, message, file: 'link', field, expected } }) as const;
  const body = fragment.replace(/^#/, '');
  if (!body.startsWith('s=')) return bad('link.form', 'the link carries no state', 's', 's=<base64url>');
  if (body.length > MAX_FRAGMENT)
    return bad('link.size', `the link is ${body.length} characters long`, 's', `at most ${MAX_FRAGMENT}`);
  const bytes = fromBase64Url(body.slice(2));
  if (!bytes) return bad('link.base64', 'the link is damaged: not base64url', 's', 'A-Z a-z 0-9 - _');
  const raw = inflateCapped(bytes);
  if (raw === 'too-long')
    return bad('link.size', 'the link unpacks to more than is allowed', 's', `at most ${MAX_INFLATED} bytes`);
  if (raw === undefined) return bad('link.deflate', 'the link is damaged: it does not unpack', 's', 'raw deflate');
  let json: unknown;
  try {
    json = JSON.parse(raw);
  } catch {
    return bad('link.json', 'the link is damaged: no JSON inside', 's', 'JSON');
  }
  const parsed = z.safeParse(linkSchema, json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return bad(
      'link.schema',
      `the link does not fit: ${issue?.message ?? ''}`,
      issue?.path.join('.') ?? '',
      issue?.code,
    );
  }
  return { ok: true, value: parsed.data as LinkState };
}

function inflateCapped(bytes: Uint8Array): string | 'too-long' | undefined {
  const parts: Uint8Array[] = [];
  let size = 0;
  let over = false;
  try {
    const inflate = new Inflate((chunk) => {
      size += chunk.length;
      if (size > MAX_INFLATED) over = true;
      else parts.push(chunk);
    });
    // Small slices, so that a bomb is noticed before it has unpacked.
    for (let i = 0; i < bytes.length && !over; i += 1024) {
      inflate.push(bytes.subarray(i, i + 1024), i + 1024 >= bytes.length);
    }
  } catch {
    return undefined;
  }
  if (over) return 'too-long';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(concat(parts));
  } catch {
    return undefined;
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

function toBase64Url(bytes: Uint8Array): string {
  let bin = '';
  for (const b of bytes) bin += String.fromCharCode(b);
  return btoa(bin).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
