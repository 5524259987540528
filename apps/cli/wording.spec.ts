import { expect, it } from '@jest/globals';
import { countWithNoun, durationText, sizeText } from './wording.js';

it.each([
  [0, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [7_500, '2 h 5 min'],
  [-3, '0 s'],
])('%d seconds are said as %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

it('counts one and many', () => {
  expect([
    countWithNoun(1, 'entry', 'entries'),
    countWithNoun(1_203, 'event'),
    countWithNoun(0, 'event'),
  ]).toEqual(['1 entry', '1,203 events', '0 events']);
});

it.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [4_300_000, '4.1 MiB'],
  [205_000_000, '196 MiB'],
])('%d bytes are said as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
