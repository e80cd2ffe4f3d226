import type { ReactElement } from 'react';
import type { MapMarks, PacketInfo, Scene } from '../scene/types';
import { fitText, pathOf, r1, textWidth } from './geometry';
import type { MapLayout, PodBox, RoomBox } from './map-layout';
import type { StageWords } from './words';

/** A name cut in its middle: beginning and end tell pods of one workload apart. */
export const middleCut = (text: string, width: number): string => {
  if (textWidth(text, false) <= width) return text;
  const tail = text.slice(-5);
  return `${fitText(text.slice(0, -5), width - textWidth(tail, false), false).replace(/…$/, '')}…${tail}`;
};

export const roleClass = (p: PacketInfo | undefined): 'req' | 'rep' => (p?.role === 'reply' ? 'rep' : 'req');

/** Walls, wires, bridge and kernel strip of a room: what lies under the ways. */
export function RoomGround({
  room,
  on,
  w: words,
}: {
  readonly room: RoomBox;
  readonly on: boolean;
  readonly w: StageWords;
}): ReactElement {
  const { x, y, w, h } = room.box;
  const title = room.form === 'grid' ? { size: '', x: x + 10, y: y + 18 } : { size: 's13', x: x + 12, y: y + 20 };
  const address = room.address;
  const fits = address !== undefined && textWidth(room.name, false, 13) + textWidth(address, true) + 32 <= w;
  return (
    <g className="g-roomground" data-room={room.name}>
      <rect
        x={r1(x)}
        y={y}
        width={r1(w)}
        height={h}
        rx={room.form === 'grid' ? 8 : 10}
        className={`g-room ${on ? 'on' : ''}`}
      />
      <text x={r1(title.x)} y={title.y} className={`w ${title.size}`}>
        {fitText(room.name, w - 24, false, 13)}
      </text>
      {fits && (
        <text x={r1(x + w - 12)} y={y + 20} className="m d e">
          {address}
        </text>
      )}
      {!fits && address !== undefined && room.form === 'row' && (
        <text x={r1(x + 12)} y={y + 46} className="m d">
          {address}
        </text>
      )}
      {room.titleRule !== undefined && (
        <path d={`M${r1(x + 0.5)} ${room.titleRule}H${r1(x + w - 0.5)}`} className="g-hl" />
      )}
      {room.tracks.map((t) => (
        <path key={pathOf(t)} d={pathOf(t)} className="g-wire" />
      ))}
      {room.form === 'full' &&
        room.pods.filter((p) => p.form !== 'full').map((p) => <Pod key={p.netns} pod={p} w={words} state="" />)}
      {room.bridge && (
        <rect
          x={r1(room.bridge.box.x)}
          y={room.bridge.box.y}
          width={r1(room.bridge.box.w)}
          height={room.bridge.box.h}
          rx={room.bridge.box.h > 8 ? 3 : 2}
          className="g-br"
        />
      )}
      {room.strip && (
        <rect
          x={r1(room.strip.x)}
          y={room.strip.y}
          width={r1(room.strip.w)}
          height={room.strip.h}
          rx={4}
          className="g-kern"
        />
      )}
      <path d={`M${r1(room.stations.PRE.x)} ${room.rail}H${r1(room.stations.POST.x)}`} className="g-rail" />
    </g>
  );
}

function Pod({
  pod,
  w,
  state,
}: {
  readonly pod: PodBox;
  readonly w: StageWords;
  readonly state: string;
}): ReactElement {
  const { box } = pod;
  const title = `${pod.name}${pod.address === undefined ? '' : ` ${pod.address}`}, ${w.ready[pod.state]}`;
  if (pod.form === 'full') {
    const cx = box.x + box.w / 2;
    return (
      <g data-pod={pod.name}>
        <title>{title}</title>
        <rect x={r1(box.x)} y={box.y} width={box.w} height={box.h} rx={6} className={`g-pod ${pod.state} ${state}`} />
        <text x={r1(cx)} y={box.y + 18} className="w c">
          {middleCut(pod.name, box.w - 6)}
        </text>
        {pod.address !== undefined && (
          <text x={r1(cx)} y={box.y + 34} className="m c d2">
            {fitText(pod.address, box.w - 4, true)}
          </text>
        )}
      </g>
    );
  }
  const big = pod.form === 'bead';
  return (
    <g data-pod={pod.name}>
      <title>{title}</title>
      <rect
        x={r1(box.x)}
        y={box.y}
        width={box.w}
        height={box.h}
        rx={big ? 4 : 3}
        className={state === '' ? `g-bead ${pod.state}` : `g-pod ${state}`}
      />
      {pod.state === 'terminating' && (
        <path d={`M${r1(box.x + 2)} ${box.y + box.h / 2}h${box.w - 4}`} className="g-bar" />
      )}
    </g>
  );
}

/** Pods, labels and stations of a room: what lies over the ways. */
export function RoomFront(props: {
  readonly room: RoomBox;
  readonly marks: MapMarks;
  readonly packet: PacketInfo | undefined;
  readonly w: StageWords;
}): ReactElement {
  const { room, marks, packet, w } = props;
  const here = marks.here;
  const walked = new Set(
    marks.walked.flatMap((v) => (v.spot.at === 'station' && v.spot.node === room.name ? [v.spot.station] : [])),
  );
  const current = here?.at === 'station' && here.node === room.name ? here.station : undefined;
  const names = { PRE: 'PRE', FWD: marks.local[room.name] ?? 'FWD', POST: 'POST' };
  const radius = room.form === 'grid' ? 4.5 : 5;
  return (
    <g className="g-roomfront" data-room={room.name}>
      {room.pods
        .filter((p) => room.form !== 'full' || p.form === 'full')
        .map((p) => {
          const at = here?.at === 'pod' && here.netns === p.netns;
          const lit = marks.from === p.netns || (at && marks.walked.length > 1);
          return <Pod key={p.netns} pod={p} w={w} state={lit ? roleClass(packet) : ''} />;
        })}
      {room.form === 'row' &&
        room.pods.map((p) => (
          <text key={p.netns} x={r1(p.box.x + 10)} y={p.box.y + 34} className="w c hp">
            {middleCut(p.name, (room.box.w - 12) / room.pods.length)}
          </text>
        ))}
      {room.countAt && room.uncounted > 0 && (
        <text x={r1(room.countAt.x)} y={room.countAt.y} className={room.form === 'full' ? 'd hp' : 'd e'}>
          {room.form === 'full'
            ? w.more(room.uncounted)
            : room.form === 'grid' || room.box.w < 130
              ? room.uncounted + room.pods.length
              : w.pods(room.uncounted + room.pods.length)}
        </text>
      )}
      {room.bridge && room.bridge.name !== '' && (
        <text x={r1(room.box.x + room.box.w / 2)} y={room.bridge.box.y + 14} className="m d c hs">
          {room.bridge.name}
        </text>
      )}
      {(['PRE', 'FWD', 'POST'] as const).map((s) => {
        const p = room.stations[s];
        const now = current === s;
        return (
          <g key={s} data-station={s}>
            <circle cx={r1(p.x)} cy={p.y} r={radius} className={`g-stn ${now ? 'now' : walked.has(s) ? 'v' : ''}`} />
            {room.form !== 'grid' && (now || room.box.w >= 140) && (
              <text x={r1(p.x)} y={p.y + 20} className={`c hp ${now ? 'w' : 'd'}`}>
                {names[s]}
              </text>
            )}
          </g>
        );
      })}
      {room.door && (
        <>
          <rect
            x={r1(room.door.box.x)}
            y={room.door.box.y}
            width={room.door.box.w}
            height={room.door.box.h}
            rx={4}
            className="g-kern"
          />
          <text x={r1(room.door.box.x + room.door.box.w / 2)} y={room.door.box.y + 15} className="m c">
            {fitText(room.door.name, room.door.box.w - 8, true)}
          </text>
        </>
      )}
    </g>
  );
}

/** Left column: the Service, which no track touches, and the machine outside. */
export function LeftColumn({
  scene,
  layout,
  w,
}: {
  readonly scene: Scene;
  readonly layout: MapLayout;
  readonly w: StageWords;
}): ReactElement {
  const { service } = scene;
  const s = layout.service;
  const port = service?.ports[0];
  const ipvs = scene.topology.proxyMode === 'ipvs';
  return (
    <g className="g-left">
      {service && layout.form === 'rooms' && (
        <g data-service={service.name}>
          <title>{`${service.namespace}/${service.name}`}</title>
          <rect x={s.x} y={s.y} width={s.w} height={s.h} rx={10} className="g-svc" />
          <text x={s.x + 12} y={s.y + 21} className="sv">
            Service
          </text>
          <text x={s.x + 12} y={s.y + 39} className="w s13">
            {fitText(`${service.namespace}/${service.name}`, s.w - 20, false, 13)}
          </text>
          <text x={s.x + 12} y={s.y + 56} className="m">
            {fitText(
              `${service.clusterIP ?? 'None'}${port && service.clusterIP !== undefined ? `:${port.port}` : ''}`,
              s.w - 16,
              true,
            )}
          </text>
          {service.clusterIP !== undefined && (
            <text x={s.x + 12} y={s.y + 72} className="sv">
              {fitText(ipvs ? w.onIpvs : w.onNoInterface, s.w - 16, false)}
            </text>
          )}
        </g>
      )}
      {service && layout.form === 'grid' && (
        <g data-service={service.name}>
          <title>{`${service.namespace}/${service.name}`}</title>
          <rect x={s.x} y={s.y} width={s.w} height={s.h} rx={8} className="g-svc" />
          <text x={s.x + 10} y={s.y + 21} className="w">
            {fitText(service.name, s.w - 20, false)}
          </text>
          <text x={s.x + 10} y={s.y + 40} className="m">
            {fitText(service.clusterIP ?? 'None', s.w - 14, true)}
          </text>
        </g>
      )}
      {layout.machines.map((m) => {
        const active =
          scene.map.from === m.netns || (scene.map.here?.at === 'machine' && scene.map.here.netns === m.netns);
        return (
          <g key={m.netns} data-machine={m.name}>
            <title>{`${m.name}${m.address === undefined ? '' : ` ${m.address}`}`}</title>
            <rect
              x={m.box.x}
              y={m.box.y}
              width={m.box.w}
              height={m.box.h}
              rx={m.form === 'gateway' ? 4 : 6}
              className={active ? `g-pod ${roleClass(scene.packet)}` : m.form === 'gateway' ? 'g-kern' : 'g-pod off'}
            />
            {m.form === 'gateway' ? (
              <text x={m.box.x + m.box.w / 2} y={m.box.y + 15} className="c">
                {fitText(m.name, m.box.w - 8, false)}
              </text>
            ) : (
              <>
                <text x={m.box.x + 12} y={m.box.y + 17} className="w d2">
                  {fitText(m.name === 'outside' ? w.outside : m.name, m.box.w - 20, false)}
                </text>
                {m.address !== undefined && (
                  <text x={m.box.x + 12} y={m.box.y + 33} className="m d">
                    {fitText(m.address, m.box.w - 14, true)}
                  </text>
                )}
              </>
            )}
          </g>
        );
      })}
    </g>
  );
}
