/** The lesson's column and, on a phone, the sheet with its open question. */
export { LessonGuide as Guide, QuestionSheet } from '../lesson';
