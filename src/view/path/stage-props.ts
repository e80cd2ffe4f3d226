import type { PinTarget, Selection } from '../../store/types';
import type { Scene } from '../scene/types';
import type { StageLang } from './words';

/** What every part of the stage is given. */
export interface StageProps {
  readonly scene: Scene;
  /** 0..1 between the event before the cursor and the event at it; 1: at rest. */
  readonly phase: number;
  readonly lang: StageLang;
  /** The step in words: the picture's name. */
  readonly narration: string;
  readonly onSelect: ((s: Selection) => void) | undefined;
  readonly onPin: ((p: PinTarget) => void) | undefined;
  /** Enter on a thing that opens: one level in. */
  readonly onEnter: (() => void) | undefined;
}
