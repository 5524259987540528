import { defineTestEndpoints, DEVELOPERS, READERS, unique } from '../../../test/support/test-endpoints.ts';

const metric = () => ({
  name: unique(),
  description: 'Calls',
  eventName: 'call',
  aggregation: { type: 'sum', property: 'a.b', filter: { kind: 'read' }, groupBy: ['region'] },
});

export default defineTestEndpoints({
  access: [
    {
      right: 'catalog:read',
      roles: READERS,
      endpoints: ['GET /v1/metrics', 'POST /v1/metrics/evaluate', 'GET /v1/metrics/{id}'],
    },
    {
      right: 'catalog:write',
      roles: DEVELOPERS,
      endpoints: ['POST /v1/metrics', 'PATCH /v1/metrics/{id}', 'DELETE /v1/metrics/{id}'],
    },
  ],
  bodies: () => ({
    'POST /v1/metrics': metric,
    'PATCH /v1/metrics/{id}': metric,
    'POST /v1/metrics/evaluate': () => ({
      aggregation: { type: 'sum', property: 'a.b', filter: { kind: 'read' }, groupBy: ['region'] },
      eventName: 'call',
      events: [
        {
          eventName: 'call',
          timestamp: '2026-01-01T00:00:00Z',
          idempotencyKey: 'k',
          properties: { a: { b: 1 } },
        },
      ],
      startTime: '2025-12-31T00:00:00Z',
      endTime: '2026-02-01T00:00:00Z',
    }),
  }),
  more: async ({ create }) => {
    for (const n of [1, 2, 3])
      await create('/v1/metrics', { name: `metric-${n}`, aggregation: { type: 'count' } });
  },
});
