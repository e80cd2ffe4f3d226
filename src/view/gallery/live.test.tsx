import { readFileSync } from 'node:fs';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Span, TraceEvent } from '../../engine/trace';
import { readsOf } from '../../session/reads';
import { WorldReplica } from '../../session/replica';
import { Session } from '../../session/session';
import { Stage } from '../path/Stage';
import { buildScene } from '../scene/build';
import { PacketIndex } from '../scene/select';
import type { Scene, SceneInput } from '../scene/types';
import { spotKey } from '../scene/visits';

const syn = {
  ip: { family: 4, src: '10.244.1.100', dst: '10.96.10.10', proto: 6, ttl: 64, tos: 0, id: 1, df: true },
  l4: { kind: 'tcp', sport: 41002, dport: 80, seq: 1, ack: 0, flags: 2, window: 64240, payload: { len: 0 } },
};
let session: Session;
beforeAll(() => {
  session = Session.open({
    format: 1,
    seed: 7,
    cluster: { profile: 'three-nodes', manifests: readFileSync('scenarios/clusters/school.yaml', 'utf8') },
    commands: [{ op: 'inject', netns: 'node-1/default.client-1', dev: 'local', packet: syn }],
  });
});

/** The page's own way to the input of a scene, for a trace that may have been cut short. */
class Page {
  private readonly replica: WorldReplica;
  private readonly index: PacketIndex;
  constructor(
    private readonly events: readonly TraceEvent[],
    private readonly spans: readonly Span[],
    private readonly origin: number,
  ) {
    this.replica = new WorldReplica(events);
    this.index = new PacketIndex({ events, spans });
  }
  at(cursor: number, horizon = this.events.length): SceneInput {
    this.replica.seek(cursor);
    const reads = readsOf(() => this.replica);
    const found = this.index.at(cursor, horizon, this.origin);
    return {
      topology: reads.topology(),
      hooks: reads.hooks(),
      event: this.events[cursor - 1],
      cursor,
      horizon,
      packet: found?.packet,
      packetEvents: found?.events ?? [],
      spans: this.spans,
      rules: reads.chain,
    };
  }
}
const draw = (input: SceneInput, width: number): string =>
  renderToStaticMarkup(<Stage input={input} lang="en" narration="step" width={width} />);

describe('a packet of a real session', () => {
  const pageOf = (upTo?: number): Page =>
    new Page(session.trace.events.slice(0, upTo), session.trace.spans, session.origin);
  const scenes = (): Scene[] => {
    const page = pageOf();
    const { events } = session.trace;
    return events.slice(session.origin).map((e) => buildScene(page.at(e.seq)));
  };

  test('goes from its pod over the node and comes back to it', () => {
    const reply = scenes().filter((s) => s.packet?.role === 'reply');
    const last = reply[reply.length - 1];
    const keys = last?.map.walked.map((v) => spotKey(v.spot)) ?? [];
    expect(keys[0]).toMatch(/^pod node-\d\/default\.web-\d$/);
    expect(keys[keys.length - 1]).toBe('pod node-1/default.client-1');
    expect(keys).toContain('station node-1 PRE');
    expect(last?.service?.name).toBe('web');
  });

  test('opens the chains of kube-proxy down to the DNAT', () => {
    const dnat = scenes().find((s) => s.opened?.kind === 'chains' && s.opened.exit?.verdict === 'DNAT');
    if (dnat?.opened?.kind !== 'chains') throw new Error('no DNAT');
    expect(dnat.opened.via).toEqual({ chain: 'PREROUTING', rule: 1 });
    expect(dnat.opened.panels.map((p) => p.chain.slice(0, 9))).toEqual(['KUBE-SERV', 'KUBE-SVC-', 'KUBE-SEP-']);
    expect(dnat.hook?.stops.map((x) => x.name)).toContain('conntrack');
  });

  test('every step draws, at both widths', () => {
    const page = pageOf();
    for (const e of session.trace.events.slice(session.origin)) {
      for (const width of [390, 800])
        expect(/="[^"]*(NaN|undefined)|\[object/.exec(draw(page.at(e.seq), width))?.[0]).toBeUndefined();
    }
  });

  test('a page whose horizon is the cursor shows what a run that ended there would show', () => {
    const page = pageOf();
    const { events } = session.trace;
    for (let cursor = session.origin + 1; cursor <= events.length; cursor += 3) {
      expect(draw(page.at(cursor, cursor), 800)).toBe(draw(pageOf(cursor).at(cursor), 800));
    }
  });
});
