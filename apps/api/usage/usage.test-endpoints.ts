import { defineTestEndpoints, READERS, SENDERS, unique } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    { right: 'usage:read', roles: READERS, endpoints: ['GET /v1/events', 'POST /v1/events/query'] },
    { right: 'usage:write', roles: SENDERS, endpoints: ['POST /v1/events', 'POST /v1/events/backfill'] },
  ],
  bodies: (ids) => ({
    'POST /v1/events': () => ({
      customerId: ids['customers'],
      eventName: 'call',
      timestamp: '2026-01-01T00:00:00Z',
      idempotencyKey: unique(),
      properties: { a: { b: 1 }, region: 'eu' },
    }),
    'POST /v1/events/backfill': () => ({
      customerId: ids['customers'],
      eventName: 'call',
      timestamp: '2025-01-01T00:00:00Z',
      idempotencyKey: unique(),
      properties: { a: { b: 1 }, region: 'eu' },
    }),
    'POST /v1/events/query': () => ({
      customerIds: [ids['customers']],
      eventName: 'call',
      startTime: '2025-12-31T00:00:00Z',
      endTime: '2026-02-01T00:00:00Z',
      aggregation: { type: 'sum', property: 'a.b' },
      filter: { region: 'eu' },
      groupBy: ['region'],
      windowSize: 'DAY',
      windowTimeZone: 'UTC',
    }),
  }),
  more: async ({ ids, create }) => {
    const event = {
      customerId: ids['customers'],
      eventName: 'call',
      timestamp: '2026-01-31T00:00:00.123456Z',
    };
    const events = [1, 2, 3, 4, 5, 6].map((n) => ({ ...event, idempotencyKey: `more-${n}` }));
    await create('/v1/events', { events });
  },
});
