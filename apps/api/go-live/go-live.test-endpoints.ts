import { ADMIN, defineTestEndpoints, unique } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'workspace:write',
      roles: ADMIN,
      wholeKeysOnly: true,
      endpoints: ['POST /v1/workspace/go-live'],
    },
  ],
  bodies: () => ({
    'POST /v1/workspace/go-live': () => ({
      adminEmail: `${unique()}@b.example`,
      secretKey: 'sk_test_00000000000000',
      withoutPaymentGateway: true,
      copyCatalog: true,
      preview: true,
    }),
  }),
});
