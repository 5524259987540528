import { ALL_BUT_VIEWERS, defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'ledger:read',
      roles: ALL_BUT_VIEWERS,
      endpoints: [
        'GET /v1/reports/receivables/customers',
        'GET /v1/reports/receivables/invoices',
        'GET /v1/reports/taxes',
      ],
    },
  ],
});
