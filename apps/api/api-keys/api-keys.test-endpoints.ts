import { ADMIN, ALL_BUT_VIEWERS, defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'api_keys:read', roles: ALL_BUT_VIEWERS, endpoints: ['GET /v1/api-keys'] },
    {
      right: 'api_keys:write',
      roles: ADMIN,
      endpoints: ['POST /v1/api-keys', 'POST /v1/api-keys/{id}/rotate', 'DELETE /v1/api-keys/{id}'],
    },
  ],
  bodies: () => ({
    'POST /v1/api-keys': () => ({
      name: 'A',
      role: 'viewer',
      permissions: ['customers:read'],
      expiresAt: '2999-01-01T00:00:00Z',
    }),
    'POST /v1/api-keys/{id}/rotate': () => ({ overlapSeconds: 60, expiresAt: '2999-01-01T00:00:00Z' }),
  }),
  more: async ({ session, create }) => {
    for (const n of [1, 2, 3]) await create('/v1/api-keys', { name: `key ${n}`, role: 'viewer' }, session);
  },
});
