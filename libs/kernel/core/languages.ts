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

/** A name, and the same name in other languages. */
export interface TranslatedName {
  readonly name: string;
  readonly nameTranslations: NameTranslations;
}

/** Returns the translations of two names with a comma between them, for the languages in which at least one of them has a translation. */
export function joinedTranslations(first: TranslatedName, second: TranslatedName): NameTranslations {
  const inLanguage = ({ name, nameTranslations }: TranslatedName, language: Language) =>
    translatedName(name, nameTranslations, language);
  return Object.fromEntries(
    LANGUAGES.filter(
      (language) =>
        first.nameTranslations[language] !== undefined || second.nameTranslations[language] !== undefined,
    ).map((language) => [language, `${inLanguage(first, language)}, ${inLanguage(second, language)}`]),
  );
}
