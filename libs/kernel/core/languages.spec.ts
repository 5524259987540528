import { expect, it } from '@jest/globals';
import { joinedTranslations } from './languages.js';

it('joins two names in each language in which one of them has a translation', () => {
  const calls = { name: 'Calls', nameTranslations: { de: 'Anrufe', fr: 'Appels' } };
  const credits = { name: 'Credits', nameTranslations: { de: 'Guthaben', ja: 'クレジット' } };
  expect(joinedTranslations(calls, credits)).toEqual({
    de: 'Anrufe, Guthaben',
    fr: 'Appels, Credits',
    ja: 'Calls, クレジット',
  });
  expect(
    joinedTranslations({ ...calls, nameTranslations: {} }, { ...credits, nameTranslations: {} }),
  ).toEqual({});
});
