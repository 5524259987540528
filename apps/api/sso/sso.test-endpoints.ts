import { ADMIN, defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

const connection = {
  name: 'A',
  issuer: 'https://login.example.com',
  clientId: 'c',
  clientSecret: 's',
  domains: ['example.com'],
  redirectUris: ['https://example.com/sso'],
  defaultRole: 'viewer',
  createUsers: true,
  required: false,
};

export default defineTestEndpoints({
  access: [
    { who: 'anyone', endpoints: ['POST /v1/auth/sso/start', 'POST /v1/auth/sso/exchange'] },
    {
      right: 'sso_connections:read',
      roles: ADMIN,
      endpoints: ['GET /v1/sso-connections', 'GET /v1/sso-connections/{id}'],
    },
    {
      right: 'sso_connections:write',
      roles: ADMIN,
      wholeKeysOnly: true,
      endpoints: [
        'POST /v1/sso-connections',
        'PATCH /v1/sso-connections/{id}',
        'DELETE /v1/sso-connections/{id}',
      ],
    },
    {
      right: 'sso_connections:write',
      roles: ADMIN,
      endpoints: ['POST /v1/sso-connections/{id}/domains/{domain}/verify'],
    },
  ],
  bodies: () => ({
    'POST /v1/sso-connections': () => connection,
    'PATCH /v1/sso-connections/{id}': () => connection,
    'POST /v1/auth/sso/start': () => ({
      email: 'nobody@example.org',
      redirectUri: 'https://example.com/sso',
    }),
    'POST /v1/auth/sso/exchange': () => ({ code: 'c', state: 's', iss: 'https://login.example.com' }),
  }),
  ownNames: ['domain'],
  more: async ({ session, create }) => {
    for (let n = 1; n <= 3; n++) await create('/v1/sso-connections', connection, session);
  },
});
