/** The languages of documents, as BCP 47 tags. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;

export type Language = (typeof LANGUAGES)[number];
