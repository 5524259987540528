import { SAMPLE_ADDRESS } from '../../../test/support/sample-address.ts';
import {
  ADMIN,
  defineTestEndpoints,
  READERS,
  unique,
  WRITERS,
  type Ids,
} from '../../../test/support/test-endpoints.ts';

const customerOf = (ids: Ids) => ({
  name: 'A',
  email: 'a@b.example',
  billingEmail: 'a@b.example',
  additionalEmails: ['c@b.example'],
  currency: 'USD',
  timezone: 'UTC',
  language: 'de',
  externalId: '1',
  taxRateIds: [ids['tax-rates']],
  address: SAMPLE_ADDRESS,
  taxId: 'DE123456789',
  poNumber: 'PO-1',
  buyerReference: '04011000-1234512345-06',
  electronicAddress: { scheme: '0204', id: '04011000-1234512345-06' },
  eInvoiceProfile: 'xrechnung',
  customFields: [{ name: 'Cost center', value: '4711' }],
  taxExemptReason: 'Reverse charge',
  taxExemptType: 'reverse_charge',
  metadata: { segment: 'smb' },
});

export default defineTestEndpoints({
  access: [
    { right: 'customers:read', roles: READERS, endpoints: ['GET /v1/customers', 'GET /v1/customers/{id}'] },
    {
      right: 'customers:write',
      roles: WRITERS,
      endpoints: ['POST /v1/customers', 'PATCH /v1/customers/{id}', 'DELETE /v1/customers/{id}'],
    },
    { right: 'privacy:write', roles: ADMIN, endpoints: ['POST /v1/customers/{id}/erase'] },
  ],
  bodies: (ids) => ({
    'POST /v1/customers': () => ({ id: unique(), ...customerOf(ids) }),
    'PATCH /v1/customers/{id}': () => customerOf(ids),
    'POST /v1/customers/{id}/erase': () => ({ reason: 'Ticket 4711' }),
  }),
  more: async ({ create }) => {
    for (const n of [1, 2, 3]) await create('/v1/customers', { id: `more-${n}`, name: 'A' });
  },
});
