import { defineTestEndpoints, READERS, WRITERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'licenses:read', roles: READERS, endpoints: ['GET /v1/licenses', 'GET /v1/licenses/{id}'] },
    {
      right: 'licenses:write',
      roles: WRITERS,
      endpoints: ['POST /v1/licenses', 'POST /v1/licenses/{id}/deactivate'],
    },
  ],
  bodies: (ids) => ({
    'POST /v1/licenses': () => ({
      customerId: ids['customers'],
      customer_id: ids['customers'],
      licenseTypeId: 'editor',
      license_type_id: 'editor',
    }),
  }),
  resources: async ({ ids, create }) => {
    const config = { model: 'license', unitPrice: 0.01, currency: 'USD' };
    await create('/v1/prices', { name: 'Seat', licenseTypeId: 'editor', config });
    const license = { customerId: ids['customers'], licenseTypeId: 'editor' };
    return { licenses: await create('/v1/licenses', license) };
  },
  more: async ({ ids, create }) => {
    for (let n = 1; n <= 3; n++)
      await create('/v1/licenses', { customerId: ids['customers'], licenseTypeId: 'editor' });
  },
});
