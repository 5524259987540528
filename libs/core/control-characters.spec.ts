import { expect, it } from '@jest/globals';
import { CONTROL_CHARACTER, TEXT_OF_LINES } from './control-characters.js';

it.each([
  ['a NUL', '\u0000', true, false],
  ['a tab', '\t', true, true],
  ['a line break', '\r\n', true, true],
  ['a vertical tab', '\u000b', true, false],
  ['an escape', '\u001b[31m', true, false],
  ['a delete', '\u007f', true, false],
  ['a space', ' ', false, true],
  ['a character of another script', '請求書', false, true],
])('%s', (_, character, isControl, isOfLines) => {
  const text = `before${character}after`;
  expect([CONTROL_CHARACTER.test(text), TEXT_OF_LINES.test(text)]).toEqual([isControl, isOfLines]);
});
