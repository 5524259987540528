import { LANGUAGES, type Language } from '#libs/kernel/core';

/** The largest number of entries of the `Accept-Language` header that are read. Browsers send a few entries. */
const MOST_ENTRIES = 20;

/**
 * Returns the supported language that a browser prefers, by its `Accept-Language` header (RFC 9110, section 12.5.4). Returns `fallback` if the
 * header is missing, or names no supported language.
 */
export function browserLanguage(header: string | undefined, fallback: Language = 'en'): Language {
  const asked = (header ?? '').split(',', MOST_ENTRIES).map((entry) => {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((one) => one.startsWith('q='))?.slice('q='.length);
    const language = LANGUAGES.find((one) => one === range.split('-')[0]);
    return { language, quality: quality === undefined ? 1 : Number(quality) };
  });
  const known = asked.filter(({ language, quality }) => language !== undefined && quality > 0);
  return known.toSorted((a, b) => b.quality - a.quality)[0]?.language ?? fallback;
}
