import { defineTestEndpoints, DEVELOPERS, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: '{{table}}:read', roles: READERS, endpoints: ['GET /v1/{{folder}}', 'GET /v1/{{folder}}/{id}'] },
    { right: '{{table}}:write', roles: DEVELOPERS, endpoints: ['POST /v1/{{folder}}'] },
  ],
  bodies: () => ({ 'POST /v1/{{folder}}': () => ({ name: 'First' }) }),
  resources: async ({ create }) => ({ '{{folder}}': await create('/v1/{{folder}}', { name: 'First' }) }),
  more: async ({ create }) => {
    for (const name of ['Second', 'Third']) await create('/v1/{{folder}}', { name });
  },
});
