import { expect, it } from '@jest/globals';
import { CONTROL_CHARACTER, SINGLE_LINE_TEXT, MULTI_LINE_TEXT } from './control-characters.js';

it.each([
  ['a NUL', '\u0000', true, false, false],
  ['a tab', '\t', true, false, true],
  ['a line break', '\r\n', true, false, true],
  ['a vertical tab', '\u000b', true, false, false],
  ['an escape', '\u001b[31m', true, false, false],
  ['a delete', '\u007f', true, false, false],
  ['a next line', '\u0085', false, false, true],
  ['what begins a command of a terminal', '\u009b', false, false, false],
  ['a line separator', '\u2028', false, false, true],
  ['a paragraph separator', '\u2029', false, false, true],
  ['an embedding', '\u202a', false, false, true],
  ['an override', '\u202e', false, false, true],
  ['an isolate', '\u2066', false, false, true],
  ['the end of an isolate', '\u2069', false, false, true],
  ['a mark of direction, as names of two scripts have it', '\u200f', false, true, true],
  ['a narrow space', '\u202f', false, true, true],
  ['a space', ' ', false, true, true],
  ['a character of another script', '請求書', false, true, true],
])('%s', (_, character, isControl, isOfOneLine, isOfLines) => {
  const text = `before${character}after`;
  expect([CONTROL_CHARACTER.test(text), SINGLE_LINE_TEXT.test(text), MULTI_LINE_TEXT.test(text)]).toEqual([
    isControl,
    isOfOneLine,
    isOfLines,
  ]);
});
