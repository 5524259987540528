import { ALL_BUT_VIEWERS, defineTestEndpoints, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'revenue:read',
      roles: ALL_BUT_VIEWERS,
      endpoints: ['GET /v1/analytics/mrr', 'GET /v1/analytics/receivables', 'GET /v1/analytics/forecast'],
    },
    { right: 'usage:read', roles: READERS, endpoints: ['GET /v1/analytics/usage'] },
  ],
});
