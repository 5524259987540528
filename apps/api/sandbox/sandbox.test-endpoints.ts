import { defineTestEndpoints, DEVELOPERS, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'sandbox:read', roles: READERS, endpoints: ['GET /v1/sandbox/clock'] },
    {
      right: 'sandbox:write',
      roles: DEVELOPERS,
      endpoints: ['PUT /v1/sandbox/clock', 'POST /v1/sandbox/clock/advance'],
    },
  ],
  bodies: () => ({
    'PUT /v1/sandbox/clock': () => ({ now: '2026-01-01T00:00:00Z' }),
    'POST /v1/sandbox/clock/advance': () => ({ to: '2026-01-01T00:00:00Z' }),
  }),
});
