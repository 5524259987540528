/** The languages in which documents for customers, such as invoices, can be written, as BCP 47 tags. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Names in the languages of documents. A language that is not named has the original name. */
export type NameTranslations = Readonly<Partial<Record<Language, string>>>;

/** Returns a name in a language; the name itself if it has no translation. */
export function translatedName(
  name: string,
  translations: NameTranslations | undefined,
  language: Language,
): string {
  return translations?.[language] ?? name;
}

/** The field `nameTranslations` of a stored object: absent if there are none. */
export function storedTranslations(translations: NameTranslations | null | undefined): {
  nameTranslations?: NameTranslations;
} {
  return translations && Object.keys(translations).length > 0 ? { nameTranslations: translations } : {};
}

/** Returns the translations of a name that is made of another one. */
export function mapTranslations(
  translations: NameTranslations,
  change: (name: string) => string,
): NameTranslations {
  return Object.fromEntries(Object.entries(translations).map(([language, name]) => [language, change(name)]));
}
