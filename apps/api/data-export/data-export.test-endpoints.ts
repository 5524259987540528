import { ADMIN, defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [{ right: 'privacy:read', roles: ADMIN, endpoints: ['GET /v1/customers/{id}/data-export'] }],
});
