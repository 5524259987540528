/** The languages in which documents for customers, such as invoices, can be written, as BCP 47 tags. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;

export type Language = (typeof LANGUAGES)[number];
