import { ADMIN, defineTestEndpoints, READERS } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      who: 'anyone',
      endpoints: ['POST /v1/gateways/stripe/events', 'GET /v1/gateways/stripe/card-setups/{setupId}'],
    },
    { right: 'payment_gateway:read', roles: READERS, endpoints: ['GET /v1/payment-gateway'] },
    {
      right: 'payment_gateway:write',
      roles: ADMIN,
      endpoints: ['PUT /v1/payment-gateway', 'DELETE /v1/payment-gateway'],
    },
  ],
  bodies: () => ({
    'PUT /v1/payment-gateway': () => ({
      provider: 'stripe',
      secretKey: 'sk_test_00000000000000',
      webhookSecret: 'whsec_00000000000000',
      returnHosts: ['shop.example.com'],
    }),
  }),
});
