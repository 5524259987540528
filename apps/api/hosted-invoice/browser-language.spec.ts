import { describe, expect, it } from '@jest/globals';
import { browserLanguage } from './browser-language.js';

describe('the language of a browser', () => {
  it.each([
    ['ja', 'ja'],
    ['de-CH,fr;q=0.9', 'de'],
    ['nl, fr-FR;q=0.8, en;q=0.9', 'en'],
    ['nl,fr;q=0.5,de;q=0', 'fr'],
    ['fr;q=oops,es;q=0.1', 'es'],
    ['nl', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('is of %s the language %s', (header, language) => {
    expect(browserLanguage(header)).toBe(language);
  });
});
