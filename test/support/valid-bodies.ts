import { samplePng } from './sample-png.ts';

/** Things that a request can name, by the collection that they are in. */
export type Ids = Readonly<Record<string, string>>;

let count = 0;
/** Another text each time, for what is taken once only. */
export const unique = (): string => `n${++count}`;

/**
 * A valid body with every field for each endpoint that takes one, by method and path as the OpenAPI document has them.
 * `login` is a user that exists, `ids` what the bodies refer to.
 */
export function validBodies(
  ids: Ids,
  login: { email: string; password: string },
): Readonly<Record<string, () => object>> {
  const customerId = ids['customers'];
  const usage = { model: 'unit', unitPrice: 0.01, currency: 'USD' };
  const metric = () => ({
    name: unique(),
    description: 'Calls',
    eventName: 'call',
    aggregation: { type: 'sum', property: 'a.b', filter: { kind: 'read' }, groupBy: ['region'] },
  });
  const price = () => ({
    name: 'Calls',
    description: 'Each',
    metricId: ids['metrics'],
    cadence: 'usage_based',
    timing: 'in_arrears',
    taxRateIds: [],
    config: usage,
  });
  const plan = () => ({
    name: 'Pro',
    description: 'All',
    prices: [{ priceId: ids['prices'] }],
    features: [{ featureId: 'seats', name: 'Seats', type: 'numeric', limit: 5 }],
    trialDays: 0,
    visibility: 'public',
    minimumCommitment: 100.5,
    billingThresholds: { amountGte: 500 },
  });
  const customer = {
    name: 'A',
    email: 'a@b.example',
    billingEmail: 'a@b.example',
    currency: 'USD',
    timezone: 'UTC',
    language: 'de',
    externalId: '1',
    taxRateIds: [],
    address: {
      line1: 'Hauptstr. 1',
      line2: '2. Stock',
      city: 'Berlin',
      postalCode: '10115',
      region: 'Berlin',
      country: 'DE',
    },
    taxId: 'DE123456789',
    poNumber: 'PO-1',
    customFields: [{ name: 'Cost center', value: '4711' }],
    taxExemptReason: 'Reverse charge',
    taxExemptType: 'reverse_charge',
    metadata: { segment: 'smb' },
  };
  const webhook = () => ({ url: 'https://example.com/hooks', events: ['invoice.paid'] });
  return {
    'POST /v1/auth/register': () => ({
      email: `${unique()}@example.com`,
      password: 'correct horse battery staple',
      name: 'A',
      companyName: 'B',
    }),
    'POST /v1/auth/login': () => ({ email: login.email, password: login.password }),
    'POST /v1/auth/refresh': () => ({ refreshToken: 'unknown' }),
    'POST /v1/auth/logout': () => ({ refreshToken: 'unknown' }),
    'POST /v1/api-keys': () => ({ name: 'A', role: 'viewer' }),
    'PUT /v1/sandbox/clock': () => ({ now: '2026-01-01T00:00:00Z' }),
    'POST /v1/sandbox/clock/advance': () => ({ to: '2026-01-01T00:00:00Z' }),
    'POST /v1/customers': () => ({ id: unique(), ...customer }),
    'PATCH /v1/customers/{id}': () => customer,
    'POST /v1/customers/{id}/payment-methods': () => ({
      type: 'test',
      test: 'pm_card_declineThenSucceed',
      declines: 1,
    }),
    'POST /v1/invoices': () => ({
      customerId,
      currency: 'USD',
      lines: [
        {
          description: 'Setup',
          quantity: 2,
          unitPrice: 1.5,
          periodStart: '2026-01-01T00:00:00Z',
          periodEnd: '2026-02-01T00:00:00Z',
          taxRateIds: [],
        },
      ],
      netDays: 14,
      poNumber: 'PO-1',
      customFields: [{ name: 'Cost center', value: '4711' }],
      memo: 'Thank you',
      draft: true,
    }),
    'POST /v1/invoices/{id}/credit-note': () => ({
      reason: 'other',
      memo: 'Sorry',
      lines: [{ lineId: 'line_1', amount: 0.01 }],
      to: 'unpaid',
    }),
    'POST /v1/invoices/{id}/void': () => ({ reason: 'A mistake' }),
    'POST /v1/invoices/{id}/credit-notes/{creditNoteId}/void': () => ({ reason: 'A mistake' }),
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
    'POST /v1/prices': price,
    'PATCH /v1/prices/{id}': price,
    'POST /v1/prices/evaluate': () => ({
      config: { model: 'percentage', rate: 1.5, fixedFee: 0.3, currency: 'USD' },
      eventAmounts: [20, 100.5],
      group: { region: 'eu' },
    }),
    'POST /v1/plans': plan,
    'PATCH /v1/plans/{id}': plan,
    'POST /v1/subscriptions': () => ({
      customerId,
      planId: ids['plans'],
      startsAt: '2026-02-02T00:00:00Z',
      trialDays: 1,
      anchorDay: 15,
      timezone: 'Europe/Berlin',
      billingThresholds: { amountGte: 200 },
      metadata: { deal: 'D-1' },
      coupons: [],
      quantities: [],
    }),
    'POST /v1/subscriptions/{id}/pause': () => ({
      effectiveAt: '2026-02-10T00:00:00Z',
      resumesAt: '2026-03-01T00:00:00Z',
    }),
    'POST /v1/subscriptions/{id}/resume': () => ({ effectiveAt: '2026-03-01T00:00:00Z' }),
    'POST /v1/subscriptions/{id}/cancel': () => ({ immediately: false }),
    'PUT /v1/billing-settings': () => ({
      autoApprove: true,
      autoCollect: true,
      gracePeriodHours: 0,
      skipZeroInvoices: false,
      netDays: 30,
      prorationBasis: 'time',
      invoiceNumberPrefix: 'INV',
      invoiceNumberFormat: 'prefix-number',
      creditNoteNumberPrefix: 'CN',
      invoiceFooter: 'Thank you',
      language: 'en',
      invoiceGrouping: 'subscription',
      timezone: 'Europe/Berlin',
      seller: {
        legalName: 'Contoso GmbH',
        address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
        taxId: 'DE123456789',
        registrationNumber: 'HRB 1234',
        email: 'billing@contoso.example',
        phone: '+49 30 1234567',
        bankAccount: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
      },
      paperSize: 'letter',
      logo: `data:image/png;base64,${samplePng(4, 4).toString('base64')}`,
      brandColor: '#0b5fff',
      eInvoicing: 'facturx',
      defaultTaxRateIds: [],
    }),
    'POST /v1/tax-rates': () => ({ name: 'VAT', percentage: 19, inclusive: true, description: 'Standard' }),
    'POST /v1/coupons': () => ({
      id: unique(),
      name: 'Welcome',
      amountOff: 5,
      currency: 'USD',
      duration: 'repeating',
      durationInInvoices: 3,
      maxRedemptions: 10,
      expiresAt: '2030-01-01T00:00:00Z',
      planIds: [ids['plans']],
      priceIds: [ids['prices']],
    }),
    'POST /v1/customers/{id}/coupons': () => ({ couponId: ids['coupons'] }),
    'POST /v1/subscriptions/{id}/coupons': () => ({ couponId: ids['coupons'] }),
    'POST /v1/subscriptions/{id}/amend': () => ({
      planId: ids['plans'],
      addPrices: [ids['prices']],
      removePrices: [],
      quantities: [],
      prorate: true,
      preview: true,
    }),
    'POST /v1/subscriptions/{id}/schedule-amendment': () => ({
      planId: ids['plans'],
      addPrices: [ids['prices']],
      removePrices: [],
      quantities: [],
      effectiveAt: '2026-03-01T00:00:00Z',
      prorate: true,
      preview: true,
    }),
    'POST /v1/subscriptions/{id}/migrate': () => ({
      effectiveAt: '2026-03-01T00:00:00Z',
      prorate: true,
      preview: true,
    }),
    'POST /v1/price-migrations/preview': () => ({
      fromPlanId: ids['plans'],
      toPlanId: ids['otherPlans'],
      customerIds: [customerId],
    }),
    'POST /v1/price-migrations': () => ({
      name: 'Prices of 2027',
      fromPlanId: ids['plans'],
      toPlanId: ids['otherPlans'],
      effectiveAt: '2099-01-01T00:00:00Z',
      customerIds: [customerId],
    }),
    'POST /v1/billing/run': () => ({ customerId, subscriptionId: ids['subscriptions'] }),
    'POST /v1/events': () => ({
      customerId,
      eventName: 'call',
      timestamp: '2026-01-01T00:00:00Z',
      idempotencyKey: unique(),
      properties: { a: { b: 1 }, region: 'eu' },
    }),
    'POST /v1/events/backfill': () => ({
      customerId,
      eventName: 'call',
      timestamp: '2025-01-01T00:00:00Z',
      idempotencyKey: unique(),
      properties: { a: { b: 1 }, region: 'eu' },
    }),
    'POST /v1/events/query': () => ({
      customerIds: [customerId],
      eventName: 'call',
      startTime: '2025-12-31T00:00:00Z',
      endTime: '2026-02-01T00:00:00Z',
      aggregation: { type: 'sum', property: 'a.b' },
      filter: { region: 'eu' },
      groupBy: ['region'],
      windowSize: 'DAY',
      windowTimeZone: 'UTC',
    }),
    'POST /v1/webhooks': webhook,
    'POST /v1/webhooks/{id}/secret/rotate': () => ({ overlapSeconds: 60 }),
    'POST /v1/webhooks/{id}/test': () => ({ event: 'invoice.paid' }),
    'POST /v1/webhooks/{id}/replay': () => ({
      ...{ since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z', status: 'failed' },
    }),
    'PATCH /v1/webhooks/{id}': () => ({ ...webhook(), enabled: false }),
  };
}
