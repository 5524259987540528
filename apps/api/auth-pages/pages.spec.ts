import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#libs/kernel/core';
import type { AuthPageFrame } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { formPage, messagePage, signedInPage, signInPage } from './pages.js';

const frame: AuthPageFrame = {
  language: 'en',
  workspaceId: 'acc_1',
  sellerName: 'Engines & Co',
  brandColor: '#0b5fff',
};
const tokens = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: 900 };
const view = { title: 'T', text: 't', email: null, asksForName: true, button: 'B' };

it('shows the tokens apart, and calls of the API within their sentences', () => {
  const { html } = signedInPage(frame, 'ada@example.com', tokens);
  expect(html).toContain('<code class="token">access-1</code>');
  expect(html).toContain('<code class="token">refresh-1</code>');
  expect(html).toContain('<code>POST /v1/auth/refresh</code>.');
  expect(html).not.toMatch(/^code \{[^}]*display: block/m);
});

it('says before how long a password must be', () => {
  const { html } = formPage(frame, { ...view, asksForPassword: true });
  expect(html).toContain('minlength="8" maxlength="256"');
  expect(html).toContain('At least 8 characters');
  expect(formPage(frame, { ...view, asksForPassword: false }).html).not.toContain('At least 8 characters');
});

it('leads on: from a message to the page to sign in, from there to a link, and then to the API', () => {
  const changed = { title: 'T', text: 't', hasRetry: false, leadsToSignIn: true };
  expect(messagePage(frame, changed).html).toContain('href="/auth/sign-in?workspace=acc_1"');
  const unknown = { ...frame, workspaceId: null };
  expect(messagePage(unknown, changed).html).toContain('href="/auth/sign-in"');
  expect(signInPage(frame).html).toContain('action="/auth/sign-in/link?workspace=acc_1"');
  expect(signedInPage(frame, 'ada@example.com', tokens).html).toContain('<a href="/docs">');
});

describe.each(LANGUAGES)('a page in %s', (language) => {
  const pages = () => [
    formPage({ ...frame, language }, { ...view, asksForPassword: true }),
    signInPage({ ...frame, language }),
    signedInPage({ ...frame, language }, 'ada@example.com', tokens),
    messagePage({ ...frame, language }, { title: 'T', text: 't', hasRetry: true, leadsToSignIn: true }),
  ];

  it('has the name and the colour of the seller', () => {
    for (const { html } of pages()) {
      expect(html).toContain(`<html lang="${language}">`);
      expect(html).toContain('<p class="seller">Engines &amp; Co</p>');
      expect(html).toContain('--brand: #0b5fff');
    }
  });

  it('says nothing as English does by mistake', () => {
    if (language === 'en') return;
    const textsOf = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      if (typeof value === 'function') return textsOf(value('1', '2', '3'));
      return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
    };
    const english = textsOf(authPageWordingOf('en'));
    const same = textsOf(authPageWordingOf(language)).filter((text) => english.includes(text));
    expect(same.filter((text) => !/^(?:Authorization: Bearer|POST \/v1)/.test(text))).toEqual([]);
  });
});
