/** Languages of every sentence of the product; both are complete. */
export type Lang = 'en' | 'zh';
/** A text in every language. */
export type Text = Readonly<Record<Lang, string>>;
