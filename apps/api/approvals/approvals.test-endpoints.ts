import { holdGrants } from '../../../test/support/held-grants.ts';
import { ADMIN, defineTestEndpoints, FINANCE, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'approval_policies:read', roles: READERS, endpoints: ['GET /v1/approvals/policies'] },
    { right: 'approval_policies:write', roles: ADMIN, endpoints: ['PUT /v1/approvals/policies/{action}'] },
    { right: 'approvals:read', roles: READERS, endpoints: ['GET /v1/approvals', 'GET /v1/approvals/{id}'] },
    {
      right: 'approvals:write',
      roles: FINANCE,
      endpoints: ['POST /v1/approvals/{id}/approve', 'POST /v1/approvals/{id}/reject'],
    },
  ],
  bodies: () => ({
    'PUT /v1/approvals/policies/{action}': () => ({
      enabled: false,
      thresholdAmount: 500.5,
      thresholdCurrency: 'USD',
      expiresInDays: 7,
    }),
    'POST /v1/approvals/{id}/approve': () => ({ note: 'Agreed' }),
    'POST /v1/approvals/{id}/reject': () => ({ note: 'The invoice is right' }),
  }),
  ownNames: ['action'],
  resources: async () => ({ policies: 'credit.grant' }),
  more: async ({ system, workspace, ids }) => {
    await holdGrants(system, workspace, ids['customers']!, 3);
  },
});
