import { defineTestEndpoints, unique } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      who: 'anyone',
      endpoints: [
        'POST /v1/auth/register',
        'POST /v1/auth/accept-invitation',
        'POST /v1/auth/login',
        'POST /v1/auth/refresh',
        'POST /v1/auth/logout',
        'POST /v1/auth/magic-link',
        'POST /v1/auth/magic-link/verify',
        'POST /v1/auth/forgot-password',
        'POST /v1/auth/reset-password',
      ],
    },
  ],
  bodies: (_ids, login) => ({
    'POST /v1/auth/register': () => ({
      email: `${unique()}@example.com`,
      password: 'correct horse battery staple',
      name: 'A',
      companyName: 'B',
    }),
    'POST /v1/auth/login': () => ({ email: login.email, password: login.password }),
    'POST /v1/auth/refresh': () => ({ refreshToken: 'unknown' }),
    'POST /v1/auth/logout': () => ({ refreshToken: 'unknown' }),
    'POST /v1/auth/magic-link': () => ({ email: 'nobody@example.com' }),
    'POST /v1/auth/magic-link/verify': () => ({ token: 'unknown' }),
    'POST /v1/auth/forgot-password': () => ({ email: 'nobody@example.com' }),
    'POST /v1/auth/reset-password': () => ({ token: 'unknown', password: 'correct horse battery staple' }),
    'POST /v1/auth/accept-invitation': () => ({
      token: 'unknown',
      name: 'A',
      password: 'correct horse battery staple',
    }),
  }),
});
