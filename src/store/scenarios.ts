import { SessionFailure } from '../session/client';
import { type Lesson, loadLesson } from '../session/lessons';
import type { Recipe } from '../session/protocol';

let kept: Promise<Lesson | undefined> | undefined;
let keptId: string | undefined;

/** A shipped lesson, read once. */
export async function lesson(id: string): Promise<Lesson> {
  if (keptId !== id) {
    keptId = id;
    kept = loadLesson(id);
  }
  const found = await kept;
  if (!found) throw new SessionFailure({ code: 'scenario.unknown', message: `there is no lesson ${id}` });
  return found;
}

/** The world that a lesson starts from. */
export const loadScenario = async (id: string): Promise<Recipe> => (await lesson(id)).recipe;
