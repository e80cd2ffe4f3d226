import { expect, test } from 'vitest';
import { lessonIds, loadLesson } from './lessons';

test('every lesson loads by its id, with a world to start from', async () => {
  expect(lessonIds()).toContain('first-packet');
  for (const id of lessonIds()) {
    const lesson = await loadLesson(id);
    expect(lesson?.scenario.id).toBe(id);
    expect(lesson?.recipe.cluster.manifests).toContain('"kind":"Service"');
  }
  expect(await loadLesson('no-such-lesson')).toBeUndefined();
});
