import { expect, test } from 'vitest';
import { lessonIds, loadLesson } from '../../session/lessons';
import { CHAPTERS, LESSONS } from './lessons';

test('the lists name every lesson that ships, and no other', () => {
  expect(LESSONS.map((l) => l.id).sort()).toEqual(lessonIds());
});

test.each(LESSONS)('$id is listed as its file says', async (entry) => {
  const found = await loadLesson(entry.id);
  expect(found?.scenario.title).toEqual(entry.title);
  expect(CHAPTERS.some((c) => c.number === entry.chapter)).toBe(true);
});
