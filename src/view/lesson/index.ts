export { LessonGuide } from './LessonGuide';
export { QuestionSheet } from './QuestionSheet';
