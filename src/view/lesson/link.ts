import { useLesson } from '../../store/lesson';
import { type LessonLink, NO_LESSON, useLessonLink } from '../pins';

type State = ReturnType<typeof useLesson.getState>;

/** A wrong answer's chain, from its question up to the first difference. */
function predictedAt(s: State, cursor: number): { readonly chain: string } | undefined {
  for (const q of s.resolved.questions) {
    if (cursor < q.askSeq || cursor > (q.differsSeq ?? q.askSeq)) continue;
    const given = s.state?.given[q.question.id];
    if (given?.kind !== 'chosen' || given.right) continue;
    const value = q.options[given.option]?.value;
    if (value?.startsWith('KUBE-') === true) return { chain: value };
  }
  return undefined;
}

function linkOf(s: State): LessonLink {
  const { scenario, state } = s;
  if (scenario === undefined || state === undefined) return NO_LESSON;
  const pinnedRules = Object.values(state.slots).flatMap((slot) =>
    slot.kind === 'filled' && slot.pin.kind === 'rule' ? [slot.pin.ruleId] : [],
  );
  const before = useLessonLink.getState().pinnedRules;
  return {
    pin: scenario.slots.length > 0 && state.started ? s.pin : undefined,
    // The same list stays the same object, so that the stage is not drawn anew for it.
    pinnedRules: before.join() === pinnedRules.join() ? before : pinnedRules,
    predicted: (cursor) => predictedAt(s, cursor),
    ended: state.ended,
  };
}

let following = false;

/** Keeps what the lesson lends to the page up to date, from now on. */
export function followLesson(): void {
  if (following) return;
  following = true;
  const follow = (s: State): void => useLessonLink.setState(linkOf(s), true);
  useLesson.subscribe(follow);
  follow(useLesson.getState());
}
