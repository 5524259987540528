import { describe, expect, it } from '@jest/globals';
import { mailboxHeader, subjectHeader } from './encoded-words.js';

const LOOKS_ENCODED = `=?utf-8?B?RnJlZSBtb25leQ==?= for Zoë, ${'in a long text '.repeat(8)}`.trim();

/** The text of encoded words, as a mail program shows it. */
function decoded(words: string): string {
  return words
    .split(' ')
    .map((word) => {
      expect(word.length).toBeLessThanOrEqual(75);
      return Buffer.from(/^=\?UTF-8\?B\?([\w+/=]+)\?=$/.exec(word)?.[1] ?? '', 'base64').toString();
    })
    .join('');
}

describe('a name with "=?"', () => {
  it.each(['ada@example.com', 'ada@münchen.de'])('is shown as it is, before <%s>', (address) => {
    const lines = mailboxHeader('From', { name: LOOKS_ENCODED, address })!.split('\r\n ');
    const shown = lines.pop();
    expect(decoded(lines.join(' ').replace('From: ', ''))).toBe(LOOKS_ENCODED);
    expect(shown).toMatch(/^<ada@(example\.com|xn--mnchen-3ya\.de)>\r\n$/);
  });

  it('is the only kind of name that the composer does not write', () => {
    for (const name of ['', 'Acme "Billing", Ltd', 'Zoë', 'a = b?'])
      expect(mailboxHeader('To', { name, address: 'ada@example.com' })).toBeUndefined();
  });
});

it('a subject with "=?" is shown as it is, and another one is left to the composer', () => {
  expect(decoded(subjectHeader(LOOKS_ENCODED))).toBe(LOOKS_ENCODED);
  expect(subjectHeader('Rechnung für März')).toBe('Rechnung für März');
});
