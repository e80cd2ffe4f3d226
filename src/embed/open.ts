import { commandOf } from '../session/lessons';
import { lesson } from '../store/scenarios';
import { page } from '../view/model';
import type { EmbedParams } from './params';

/** Opens what an embed shows: the world of a link, or a lesson's world after its first command, at the step asked for. */
export async function openEmbed(params: EmbedParams): Promise<void> {
  const p = page();
  p.setSpeed(params.speed);
  if (params.fragment !== undefined) {
    await p.openLink(params.fragment);
  } else {
    await openLesson(params.scenario ?? 'first-packet');
  }
  const now = page();
  if (now.status !== 'ready') return;
  if (params.step !== undefined) now.seek(now.origin + params.step);
  if (params.autoplay) now.play();
}

/** A lesson's world without its questions: an embed shows a run, it does not ask. */
async function openLesson(id: string): Promise<void> {
  try {
    const { recipe, scenario } = await lesson(id);
    await page().openRecipe(recipe);
    const first = commandOf(scenario.start);
    if (page().status === 'ready' && first !== undefined) {
      const { landSeq, toSeq } = await page().do(first);
      page().seek(landSeq ?? toSeq);
    }
  } catch {
    // The store knows that there is no such lesson, and says so like any page.
    await page().openScenario(id);
  }
}
