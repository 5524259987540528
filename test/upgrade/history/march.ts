import { advance, settle, use, type Sandbox } from './sandbox.ts';

/** Under other settings: invoices for several subscriptions, and drafts that wait for usage. */
export async function playMarch(sandbox: Sandbox): Promise<void> {
  const { http } = sandbox;
  const settings = { gracePeriodHours: 24, invoiceGrouping: 'customer', prorationBasis: 'days' };
  await http.put('/v1/billing-settings', { ...(await http.get('/v1/billing-settings')), ...settings });
  await use(
    sandbox,
    'north',
    'call',
    '2026-01-01T12:00:00Z',
    [{ units: 3, kind: 'billed' }],
    '/v1/events/backfill',
  );
  await advance(sandbox, '2026-03-01T06:00:00Z');
  await use(sandbox, 'upgrading', 'call', '2026-02-20T00:00:00Z', [{ units: 11, kind: 'billed' }]);
  await http.post('/v1/billing/run', { customerId: 'upgrading' });
  await advance(sandbox, '2026-03-05T00:00:00Z');
  await advance(sandbox, '2026-04-01T06:00:00Z');
  await http.post('/v1/ledger/exports', { format: 'csv' });
  await settle(sandbox);
}
