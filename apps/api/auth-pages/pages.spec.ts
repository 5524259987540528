import { expect, it } from '@jest/globals';
import { formPage, signedInPage } from './pages.js';

it('shows the tokens apart, and calls of the API within their sentences', () => {
  const tokens = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresIn: 900 };
  const { html } = signedInPage('ada@example.com', tokens);
  expect(html).toContain('<code class="token">access-1</code>');
  expect(html).toContain('<code class="token">refresh-1</code>');
  expect(html).toContain('<code>POST /v1/auth/refresh</code>.');
  expect(html).not.toMatch(/^code \{[^}]*display: block/m);
});

it('says before how long a password must be', () => {
  const view = { title: 'T', text: 't', email: null, asksForName: false, button: 'B' };
  const { html } = formPage({ ...view, asksForPassword: true });
  expect(html).toContain('minlength="8" maxlength="256"');
  expect(html).toContain('At least 8 characters');
  expect(formPage({ ...view, asksForPassword: false }).html).not.toContain('At least 8 characters');
});
