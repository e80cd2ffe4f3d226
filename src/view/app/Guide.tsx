/** The lesson's column: story, question, notebook, goals. */
export function Guide() {
  return <div className="guide-slot" />;
}

/** On a phone an open question lies over the lower half of the stage. */
export function QuestionSheet() {
  return null;
}
