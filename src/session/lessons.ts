import { recipeOf } from '../scenario/recipe';
import type { Scenario } from '../scenario/schema';
import type { Recipe } from './protocol';

/** The rules of a lesson, for the page. */
export * from '../scenario/index';
export * from './play';

/** A lesson that ships with the product and the world that it starts from. */
export interface Lesson {
  readonly scenario: Scenario;
  readonly recipe: Recipe;
}

interface LessonModule {
  readonly scenario: Scenario;
  readonly base: string;
}

const FILES = import.meta.glob<LessonModule>('../../scenarios/*.yaml', { import: 'default' });

const idOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1, -'.yaml'.length);

/** Ids of the lessons that ship, in code-unit order. */
export const lessonIds = (): string[] => Object.keys(FILES).map(idOf).sort();

/** A shipped lesson by its id; undefined when there is none of that name. */
export async function loadLesson(id: string): Promise<Lesson | undefined> {
  const file = Object.keys(FILES).find((f) => idOf(f) === id);
  const load = file === undefined ? undefined : FILES[file];
  if (!load) return undefined;
  const { scenario, base } = await load();
  return { scenario, recipe: recipeOf(scenario, base) };
}
