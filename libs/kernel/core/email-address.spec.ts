import { expect, it } from '@jest/globals';
import { canonicalEmail, emailProblem } from './email-address.js';

it.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['ada@münchen.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@XN--MNCHEN-3YA.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@mu\u0308nchen.de', 'ada@xn--mnchen-3ya.de'],
  ['JOSE\u0301@example.com', 'jos\u00e9@example.com'],
  // The Kelvin sign is the letter K.
  ['\u212aim@example.com', 'kim@example.com'],
  ['請求@例え.jp', '請求@xn--r8jz45g.jp'],
])('%s is stored as %s', (address, stored) => {
  expect(emailProblem(address)).toBeUndefined();
  expect(canonicalEmail(address)).toBe(stored);
  expect(canonicalEmail(stored)).toBe(stored);
});

it.each([
  ['an override', 'ada\u202e@example.com', /invisible/],
  ['a zero-width space', 'ada\u200b@example.com', /invisible/],
  ['a soft hyphen in the domain', 'ada@exa\u00admple.com', /invisible/],
  ['a line break', 'ada@example.com\r\nBcc: eve@example.com', /invisible/],
  ['full-width letters', 'ａｄａ@example.com', /plain characters/],
  ['a ligature', '\ufb01nance@example.com', /plain characters/],
  ['two "@"', 'eve@example.org@example.com', /e-mail address/],
  ['a path after the domain', 'eve@example.com/x', /e-mail address/],
  ['a port after the domain', 'eve@example.com:80', /e-mail address/],
  ['no "@"', 'ada', /e-mail address/],
  ['a space', 'ada lovelace@example.com', /e-mail address/],
  ['a domain with a percent sign', 'ada@exa%6dple.com', /e-mail address/],
  ['a domain with another sign', 'ada@exa|mple.com', /domain/],
  ['many characters', `${'a'.repeat(250)}@x.de`, /254/],
])('refuses %s', (_, address, message) => expect(emailProblem(address)).toMatch(message));
