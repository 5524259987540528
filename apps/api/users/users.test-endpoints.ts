import { ADMIN, defineTestEndpoints, READERS, unique } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'users:read', roles: READERS, endpoints: ['GET /v1/users/invitations', 'GET /v1/users'] },
    {
      right: 'users:write',
      roles: ADMIN,
      usersOnly: true,
      endpoints: [
        'POST /v1/users/invitations',
        'POST /v1/users/invitations/{id}/resend',
        'DELETE /v1/users/invitations/{id}',
        'PATCH /v1/users/{id}',
      ],
    },
    {
      who: 'users',
      endpoints: [
        'GET /v1/users/me/sessions',
        'DELETE /v1/users/me/sessions/{id}',
        'GET /v1/users/me',
        'DELETE /v1/users/me/sessions',
      ],
    },
  ],
  bodies: () => ({
    'POST /v1/users/invitations': () => ({ email: `${unique()}@example.com`, role: 'viewer' }),
    'PATCH /v1/users/{id}': () => ({ role: 'admin', status: 'active' }),
  }),
  resources: async ({ session, workspace, create }) => {
    const invitation = { email: `invited-by-${workspace.email}`, role: 'viewer' };
    const { body } = await session.get('/v1/users/me').expect(200);
    return {
      users: (body as { id: string }).id,
      invitations: await create('/v1/users/invitations', invitation, session),
    };
  },
  more: async ({ http, session, workspace: { email, password }, create }) => {
    for (const n of [1, 2, 3])
      await create('/v1/users/invitations', { email: `more-${n}-${email}`, role: 'viewer' }, session);
    await http.post('/v1/auth/login', { email, password }).expect(200);
  },
});
