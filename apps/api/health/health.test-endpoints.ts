import { defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [{ who: 'anyone', endpoints: ['GET /', 'GET /v1/health', 'GET /v1/health/ready'] }],
});
