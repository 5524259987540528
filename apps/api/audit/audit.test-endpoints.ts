import { ALL_BUT_VIEWERS, defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [{ right: 'audit:read', roles: ALL_BUT_VIEWERS, usersOnly: true, endpoints: ['GET /v1/audit'] }],
});
