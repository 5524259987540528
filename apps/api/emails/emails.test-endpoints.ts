import { defineTestEndpoints, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'invoices:read', roles: READERS, endpoints: ['GET /v1/invoices/{id}/emails'] },
    { right: 'sandbox:read', roles: READERS, endpoints: ['GET /v1/sandbox/emails'] },
  ],
});
