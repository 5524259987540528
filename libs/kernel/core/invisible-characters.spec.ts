import { expect, it } from '@jest/globals';
import { INVISIBLE_CHARACTER, VISIBLE_NAME } from './invisible-characters.js';

it.each([
  ['a NUL', '\u0000'],
  ['a line break', '\n'],
  ['a line separator', '\u2028'],
  ['a soft hyphen', '\u00ad'],
  ['a zero-width space', '\u200b'],
  ['a joiner between Latin letters', '\u200d'],
  ['a mark of direction', '\u200e'],
  ['the Arabic mark of direction', '\u061c'],
  ['an override', '\u202e'],
  ['an isolate', '\u2066'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a filler', '\u3164'],
  ['a variation selector', '\ufe0f'],
  ['a tag', '\u{e0041}'],
  ['half of a character', '\ud800'],
])('refuses %s', (_, character) => {
  const text = `Ada${character}L`;
  expect([INVISIBLE_CHARACTER.test(text), VISIBLE_NAME.test(text)]).toEqual([true, false]);
});

it.each([
  ['Latin', 'Søren Ådahl'],
  ['Han', '請求書'],
  ['Arabic', 'محمد'],
  ['Persian with a non-joiner', 'علی\u200cرضا'],
  ['Sinhala with a joiner after a mark', 'ශ්\u200dරී'],
  ['emoji', 'Ada 👩🏽\u200d💻 ❤\ufe0f\u200d🔥'],
])('takes a name in %s', (_, name) => expect(VISIBLE_NAME.test(name)).toBe(true));

it('refuses a joiner at the end, where nobody can see it', () =>
  expect(VISIBLE_NAME.test('علی\u200c')).toBe(false));
