import { expect, it } from '@jest/globals';
import { renderLetter } from './letter.js';

const letter = {
  subject: 'Join "Engines & Co"\r\nBcc: x@example.com',
  paragraphs: ['Ada <b>Lovelace</b>\n\nhttps://evil.example invites you.'],
  link: { label: 'Accept', url: 'https://billing.example/auth/invitation/t0k-en_' },
  notes: ['The link is valid for 7 days.'],
};

it('says the same as text and as HTML, and takes names as text in both', () => {
  const { subject, text, html } = renderLetter(letter);
  expect(subject).toBe('Join "Engines & Co" Bcc: x@example.com');
  expect(text).toBe(
    'Ada <b>Lovelace</b> https://evil.example invites you.\n\n' +
      'Accept:\nhttps://billing.example/auth/invitation/t0k-en_\n\nThe link is valid for 7 days.\n',
  );
  expect(html).toContain('Ada &lt;b&gt;Lovelace&lt;/b&gt;');
  expect(html).toContain('<a href="https://billing.example/auth/invitation/t0k-en_"');
  expect(html).toContain('The link is valid for 7 days.');
  // A long address would be wider than the screen of a phone.
  expect(html).toContain('overflow-wrap:anywhere');
  expect(html).not.toMatch(/<img|<link|src=|@import/);
});

it.each([
  ['de', 'Betrag: 5'],
  ['fr', 'Betrag\u00a0: 5'],
  ['ja', 'Betrag：5'],
])('writes a colon as in %s', (language, line) => {
  const facts = [{ label: 'Betrag', value: '5' }];
  expect(renderLetter({ ...letter, language, facts }).text).toContain(`\n${line}\n`);
});

it('leaves the link out where there is none', () => {
  const { link: _, ...without } = letter;
  const { text, html } = renderLetter(without);
  expect(text).not.toContain('Accept');
  expect(html).not.toContain('<a ');
});
