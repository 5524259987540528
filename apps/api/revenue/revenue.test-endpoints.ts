import { ALL_BUT_VIEWERS, defineTestEndpoints, FINANCE } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'revenue:read',
      roles: ALL_BUT_VIEWERS,
      endpoints: ['GET /v1/revenue/summary', 'GET /v1/revenue/waterfall', 'GET /v1/revenue/contracts'],
    },
    { right: 'revenue:write', roles: FINANCE, endpoints: ['POST /v1/revenue/generate'] },
  ],
  bodies: () => ({
    'POST /v1/revenue/generate': () => ({ period: '2020-01', skipEarlierMonths: true }),
  }),
});
