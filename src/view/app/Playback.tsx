import { useEffect } from 'react';
import { page, usePage } from '../model';
import { useReducedMotion } from '../ui/hooks';

/** Drives the playhead by the frame while it plays. */
export function Playback() {
  const playing = usePage((p) => p.playhead.playing);
  const reduced = useReducedMotion();
  useEffect(() => {
    if (!playing) return;
    let before = performance.now();
    let frame = requestAnimationFrame(function tick(now) {
      // A hidden tab gives no frames; what passed meanwhile is not made up for.
      page().tick(Math.min(100, now - before), reduced);
      before = now;
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing, reduced]);
  return null;
}
