import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#libs/kernel/core';
import { wordingOf } from './index.js';

/** Returns all strings of a wording, by path. A function is called with the numbers of its parameters' places. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const places = Array.from({ length: value.length }, (_, i) => `{${i}}`);
    return [[path, String(value(...places))]];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, one]) => textsOf(one, `${path}.${key}`));
}

const MAY_BE_EMPTY = /^\.(?:pageNumber\.|betweenSentences$)/;

describe('the wording of documents', () => {
  const english = new Map(textsOf(wordingOf('en')));

  it.each(LANGUAGES.filter((language) => language !== 'en'))('is complete in %s', (language) => {
    const texts = textsOf(wordingOf(language)).filter(([path]) => !path.startsWith('.period'));
    expect(texts.map(([path]) => path)).toEqual([...english.keys()]);
    for (const [path, text] of texts) {
      if (MAY_BE_EMPTY.test(path)) continue;
      expect([path, text.trim()]).not.toEqual([path, '']);
      // Every language must use the same parameters as English. A word may have a plural in one language and not in another.
      const placesOf = (of: string) => new Set(of.match(/\{\d\}/g));
      expect([path, placesOf(text)]).toEqual([path, placesOf(english.get(path)!)]);
    }
  });

  it.each(['de', 'fr', 'es', 'ja'] as const)('says nothing in %s as English does by mistake', (language) => {
    const same = textsOf(wordingOf(language))
      .filter(([path, text]) => english.get(path) === text && /\p{L}{3}/u.test(text))
      .map(([path]) => path);
    const alike: Record<string, string[]> = {
      fr: ['.pageNumber.0', '.totals.total'],
      es: ['.totals.subtotal', '.totals.total', '.payment.methods.check'],
    };
    expect(same).toEqual(alike[language] ?? []);
  });
});
