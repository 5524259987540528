import { defineTestEndpoints, DEVELOPERS, READERS } from '../../../test/support/test-endpoints.ts';

const webhook = () => ({ url: 'https://example.com/hooks', events: ['invoice.paid'] });

export default defineTestEndpoints({
  access: [
    {
      right: 'webhooks:read',
      roles: READERS,
      usersOnly: true,
      endpoints: [
        'GET /v1/webhooks',
        'GET /v1/webhooks/{id}',
        'GET /v1/webhooks/{id}/deliveries',
        'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
      ],
    },
    {
      right: 'webhooks:write',
      roles: DEVELOPERS,
      usersOnly: true,
      endpoints: [
        'POST /v1/webhooks',
        'PATCH /v1/webhooks/{id}',
        'DELETE /v1/webhooks/{id}',
        'POST /v1/webhooks/{id}/secret/rotate',
        'DELETE /v1/webhooks/{id}/secret/previous',
        'POST /v1/webhooks/{id}/test',
        'POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry',
        'POST /v1/webhooks/{id}/replay',
      ],
    },
  ],
  bodies: () => ({
    'POST /v1/webhooks': webhook,
    'POST /v1/webhooks/{id}/secret/rotate': () => ({ overlapSeconds: 60 }),
    'POST /v1/webhooks/{id}/test': () => ({ event: 'invoice.paid' }),
    'POST /v1/webhooks/{id}/replay': () => ({
      since: '2026-01-01T00:00:00Z',
      until: '2026-02-01T00:00:00Z',
      status: 'failed',
    }),
    'PATCH /v1/webhooks/{id}': () => ({ ...webhook(), enabled: false }),
  }),
  resources: async ({ session, create }) => ({
    webhooks: await create('/v1/webhooks', { url: 'https://example.com/hooks' }, session),
  }),
  more: async ({ session, create }) => {
    for (const n of [1, 2, 3]) await create('/v1/webhooks', { url: `https://example.com/${n}` }, session);
  },
});
