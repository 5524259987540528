import { describe, expect, it } from '@jest/globals';
import type { UserMail } from '#libs/contexts/identity';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import { renderLetter } from '../templates/letter.js';
import { userMailWordingOf } from './languages/index.js';
import { userLetter } from './user-letters.js';

const link = {
  mailId: 'mail_1',
  workspaceId: 'acc_1',
  about: 'usr_1',
  to: { address: 'ada@example.com' },
  url: 'https://billing.example/auth/x/t0ken',
  expiresAt: '2026-01-31T12:00:00.000Z',
};
const mails: UserMail[] = [
  { ...link, kind: 'invitation', inviterName: 'Grace', workspaceName: 'Engines Ltd', role: 'finance' },
  { ...link, kind: 'magic-link' },
  { ...link, kind: 'reset-password' },
];
const frame = (language: Language) => ({ language, workspaceName: 'Engines Ltd', brandColor: '#0b5fff' });

describe.each(LANGUAGES)('mail to users in %s', (language) => {
  it.each(mails)('has the name and colour of the workspace, the link and its end: $kind', (mail) => {
    const { subject, text, html } = renderLetter(userLetter(mail, frame(language)));
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain('>Engines Ltd</p>');
    expect(html).toContain('background:#0b5fff');
    expect(subject).toContain('Engines Ltd');
    for (const part of [link.url, '2026-01-31 12:00 UTC', userMailWordingOf(language).linkHint])
      expect(html).toContain(part);
    expect(text).toContain(link.url);
  });

  it('says nothing in another language as English does by mistake', () => {
    if (language === 'en') return;
    const textsOf = (of: Language) => mails.map((mail) => userLetter(mail, frame(of)));
    textsOf(language).forEach((letter, i) => {
      const english = textsOf('en')[i]!;
      for (const text of [...letter.paragraphs, ...letter.notes, letter.link!.label])
        expect([...english.paragraphs, ...english.notes, english.link!.label]).not.toContain(text);
    });
  });
});

it('names the product where the workspace has no name, and the default colour where it has none', () => {
  const nameless = { language: 'en' as const, workspaceName: null, brandColor: null };
  const { subject, html } = renderLetter(userLetter(mails[1]!, nameless));
  expect(subject).toBe('Sign in to Countinghouse');
  expect(html).toContain('background:#1d4ed8');
});
