// Calls operations of the API with types that are generated from the OpenAPI document, and uses what they answer. It is compiled, and
// not run: test/openapi/client.spec.ts generates the types beside it.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

const api = createClient<paths>({
  baseUrl: 'http://127.0.0.1:3000',
  headers: { Authorization: 'Bearer svc_…' },
});

async function authentication(): Promise<void> {
  await api.POST('/v1/auth/register', {
    body: { email: 'ada@example.com', password: 'correct horse battery staple', name: 'Ada Lovelace' },
  });
  await api.POST('/v1/auth/login', {
    body: { email: 'ada@example.com', password: 'correct horse battery staple' },
  });
  await api.POST('/v1/auth/refresh', { body: { refreshToken: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' } });
  await api.POST('/v1/auth/logout');
  await api.GET('/v1/users/me');
}

async function apiKeys(): Promise<void> {
  await api.POST('/v1/api-keys', { body: { name: 'usage collector', role: 'ingest' } });
  await api.GET('/v1/api-keys');
  await api.POST('/v1/api-keys/{id}/rotate', {
    params: { path: { id: 'key_01JD0000000000000000000000' } },
    body: { overlapSeconds: 3600 },
  });
  await api.DELETE('/v1/api-keys/{id}', { params: { path: { id: 'key_01JD0000000000000000000000' } } });
}

async function customers(): Promise<void> {
  await api.POST('/v1/customers', { body: { name: 'Northwind Ltd' } });
  await api.GET('/v1/customers', { params: { query: { email: 'ada@example.com' } } });
  await api.GET('/v1/customers/{id}', { params: { path: { id: 'cust_northwind' } } });
  await api.PATCH('/v1/customers/{id}', {
    params: { path: { id: 'cust_northwind' } },
    body: { name: 'Northwind GmbH', email: null },
  });
  await api.DELETE('/v1/customers/{id}', { params: { path: { id: 'cust_northwind' } } });
  await api.GET('/v1/customers/{id}/balances', { params: { path: { id: 'cust_northwind' } } });
  await api.GET('/v1/customers/{id}/balance-transactions', {
    params: { path: { id: 'cust_northwind' }, query: { currency: 'USD' } },
  });
}

async function paymentMethods(): Promise<void> {
  await api.POST('/v1/customers/{id}/payment-methods', {
    params: { path: { id: 'cust_northwind' } },
    body: { type: 'test', test: 'pm_card_visa' },
  });
  await api.GET('/v1/customers/{id}/payment-methods', { params: { path: { id: 'cust_northwind' } } });
  await api.POST('/v1/customers/{id}/payment-methods/{methodId}/default', {
    params: { path: { id: 'cust_northwind', methodId: 'pm_01JD0000000000000000000000' } },
  });
  await api.DELETE('/v1/customers/{id}/payment-methods/{methodId}', {
    params: { path: { id: 'cust_northwind', methodId: 'pm_01JD0000000000000000000000' } },
  });
}

async function metrics(): Promise<void> {
  await api.POST('/v1/metrics', {
    body: {
      name: 'Tokens',
      eventName: 'llm.request',
      aggregation: {
        type: 'sum',
        property: 'usage.tokens',
        filter: { model: ['large', 'small'] },
        groupBy: ['region'],
      },
    },
  });
  await api.GET('/v1/metrics');
  await api.POST('/v1/metrics/evaluate', {
    body: {
      aggregation: { type: 'sum', property: 'tokens' },
      events: [{ properties: { tokens: 20 } }, { properties: { tokens: 100 } }],
    },
  });
  await api.GET('/v1/metrics/{id}', { params: { path: { id: 'met_01JD0000000000000000000000' } } });
  await api.PATCH('/v1/metrics/{id}', {
    params: { path: { id: 'met_01JD0000000000000000000000' } },
    body: { aggregation: { type: 'count' } },
  });
  await api.DELETE('/v1/metrics/{id}', { params: { path: { id: 'met_01JD0000000000000000000000' } } });
}

async function prices(): Promise<void> {
  await api.POST('/v1/prices', {
    body: {
      name: 'Platform fee',
      cadence: 'monthly',
      config: { model: 'flat', amount: 20, currency: 'USD' },
    },
  });
  await api.GET('/v1/prices');
  await api.POST('/v1/prices/evaluate');
  await api.GET('/v1/prices/{id}', { params: { path: { id: 'price_01JD0000000000000000000000' } } });
  await api.PATCH('/v1/prices/{id}', {
    params: { path: { id: 'price_01JD0000000000000000000000' } },
    body: { config: { model: 'flat', amount: 25, currency: 'USD' } },
  });
  await api.DELETE('/v1/prices/{id}', { params: { path: { id: 'price_01JD0000000000000000000000' } } });
}

async function plans(): Promise<void> {
  await api.POST('/v1/plans', {
    body: {
      name: 'Growth',
      prices: [{ priceId: 'price_01JD0000000000000000000000' }],
      features: [
        { featureId: 'seats', name: 'Seats', type: 'numeric', limit: 5 },
        { featureId: 'sso', name: 'Single sign-on', type: 'boolean' },
      ],
      trialDays: 14,
    },
  });
  await api.GET('/v1/plans');
  await api.GET('/v1/plans/{id}', { params: { path: { id: 'plan_01JD0000000000000000000000' } } });
  await api.PATCH('/v1/plans/{id}', {
    params: { path: { id: 'plan_01JD0000000000000000000000' } },
    body: { trialDays: 7, minimumCommitment: { amount: 1200, interval: 'annual' } },
  });
  await api.DELETE('/v1/plans/{id}', { params: { path: { id: 'plan_01JD0000000000000000000000' } } });
  await api.GET('/v1/plans/{id}/versions', { params: { path: { id: 'plan_01JD0000000000000000000000' } } });
  await api.POST('/v1/plans/{id}/publish', { params: { path: { id: 'plan_01JD0000000000000000000000' } } });
  await api.POST('/v1/plans/{id}/versions/{version}/restore', {
    params: { path: { id: 'plan_01JD0000000000000000000000', version: '1' } },
  });
}

async function coupons(): Promise<void> {
  await api.POST('/v1/coupons', {
    body: {
      id: 'WELCOME10',
      name: 'Welcome: 10% off for three months',
      percentOff: 10,
      duration: 'repeating',
      durationInInvoices: 3,
      maxRedemptions: 100,
    },
  });
  await api.GET('/v1/coupons');
  await api.GET('/v1/coupons/{id}', { params: { path: { id: 'WELCOME10' } } });
  await api.POST('/v1/coupons/{id}/deactivate', { params: { path: { id: 'WELCOME10' } } });
  await api.POST('/v1/customers/{id}/coupons', {
    params: { path: { id: 'cust_northwind' } },
    body: { couponId: 'WELCOME10' },
  });
  await api.GET('/v1/customers/{id}/coupons', { params: { path: { id: 'cust_northwind' } } });
  await api.DELETE('/v1/customers/{id}/coupons/{redemptionId}', {
    params: { path: { id: 'cust_northwind', redemptionId: 'red_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/coupons', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
    body: { couponId: 'WELCOME10' },
  });
  await api.GET('/v1/subscriptions/{id}/coupons', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.DELETE('/v1/subscriptions/{id}/coupons/{redemptionId}', {
    params: {
      path: { id: 'sub_01JD0000000000000000000000', redemptionId: 'red_01JD0000000000000000000000' },
    },
  });
}

async function taxes(): Promise<void> {
  await api.POST('/v1/tax-rates', { body: { name: 'VAT', percentage: 19 } });
  await api.GET('/v1/tax-rates');
  await api.GET('/v1/tax-rates/{id}', { params: { path: { id: 'tax_01JD0000000000000000000000' } } });
  await api.POST('/v1/tax-rates/{id}/archive', {
    params: { path: { id: 'tax_01JD0000000000000000000000' } },
  });
}

async function subscriptions(): Promise<void> {
  await api.POST('/v1/subscriptions', {
    body: { customerId: 'cust_northwind', planId: 'plan_01JD0000000000000000000000' },
  });
  await api.GET('/v1/subscriptions', { params: { query: { status: 'pending' } } });
  await api.GET('/v1/subscriptions/{id}', { params: { path: { id: 'sub_01JD0000000000000000000000' } } });
  await api.POST('/v1/subscriptions/{id}/cancel', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
    body: { immediately: true },
  });
  await api.POST('/v1/subscriptions/{id}/uncancel', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/pause', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/resume', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/invoices/compute', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/invoices', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/amend', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
    body: { addPrices: ['price_1'], preview: true },
  });
  await api.POST('/v1/subscriptions/{id}/schedule-amendment', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/migrate', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.GET('/v1/subscriptions/{id}/amendments', {
    params: { path: { id: 'sub_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/subscriptions/{id}/amendments/{amendmentId}/cancel', {
    params: { path: { id: 'sub_01JD0000000000000000000000', amendmentId: 'amd_01JD0000000000000000000000' } },
  });
}

async function priceMigrations(): Promise<void> {
  await api.POST('/v1/price-migrations/preview', {
    body: { fromPlanId: 'plan_01JD0000000000000000000000', toPlanId: 'plan_01JD0000000000000000000000' },
  });
  await api.POST('/v1/price-migrations', {
    body: {
      name: 'Prices of 2027',
      fromPlanId: 'plan_01JD0000000000000000000000',
      toPlanId: 'plan_01JD0000000000000000000001',
      effectiveAt: 'period_end',
    },
  });
  await api.GET('/v1/price-migrations');
  await api.GET('/v1/price-migrations/{id}', { params: { path: { id: 'mig_01JD0000000000000000000000' } } });
  await api.GET('/v1/price-migrations/{id}/customers', {
    params: { path: { id: 'mig_01JD0000000000000000000000' }, query: { status: 'migrated' } },
  });
  await api.POST('/v1/price-migrations/{id}/cancel', {
    params: { path: { id: 'mig_01JD0000000000000000000000' } },
  });
}

async function usageEvents(): Promise<void> {
  await api.POST('/v1/events', { body: { customerId: 'cust_northwind', eventName: 'llm.request' } });
  await api.GET('/v1/events', { params: { query: { customer_id: 'northwind' } } });
  await api.POST('/v1/events/backfill', { body: { customerId: 'cust_northwind', eventName: 'llm.request' } });
  await api.POST('/v1/events/query', {
    body: { eventName: 'llm.request', startTime: '2026-01-01T00:00:00Z' },
  });
}

async function billing(): Promise<void> {
  await api.POST('/v1/billing/run', { body: { customerId: 'cust_northwind' } });
  await api.GET('/v1/billing/schedule');
  await api.GET('/v1/billing/history');
  await api.GET('/v1/billing-settings');
  await api.PUT('/v1/billing-settings', { body: { netDays: 14, language: 'de' } });
}

async function invoices(): Promise<void> {
  await api.POST('/v1/invoices', {
    body: { customerId: 'northwind', lines: [{ description: 'Setup', quantity: 1, unitPrice: 250 }] },
  });
  await api.GET('/v1/invoices', { params: { query: { status: 'draft' } } });
  await api.GET('/v1/invoices/{id}', { params: { path: { id: 'inv_01JD0000000000000000000000' } } });
  await api.POST('/v1/invoices/{id}/approve', { params: { path: { id: 'inv_01JD0000000000000000000000' } } });
  await api.POST('/v1/invoices/{id}/pay', { params: { path: { id: 'inv_01JD0000000000000000000000' } } });
  await api.POST('/v1/invoices/{id}/void', { params: { path: { id: 'inv_01JD0000000000000000000000' } } });
  await api.POST('/v1/invoices/{id}/mark-uncollectible', {
    params: { path: { id: 'inv_01JD0000000000000000000000' } },
  });
  await api.GET('/v1/invoices/{id}/payment-attempts', {
    params: { path: { id: 'inv_01JD0000000000000000000000' } },
  });
  await api.GET('/v1/invoices/{id}/link', { params: { path: { id: 'inv_01JD0000000000000000000000' } } });
  await api.GET('/v1/invoices/{id}/pdf', {
    params: { path: { id: 'inv_01JD0000000000000000000000' } },
    parseAs: 'blob',
  });
  await api.GET('/v1/invoices/{id}/receipt', {
    params: { path: { id: 'inv_01JD0000000000000000000000' } },
    parseAs: 'blob',
  });
  await api.GET('/v1/invoices/{id}/xml', {
    params: { path: { id: 'inv_01JD0000000000000000000000' }, query: { format: 'ubl' } },
    parseAs: 'text',
  });
  await api.POST('/v1/invoices/{id}/credit-note', {
    params: { path: { id: 'inv_01JD0000000000000000000000' } },
    body: { reason: 'service_issue', amount: 10 },
  });
  await api.GET('/v1/invoices/{id}/credit-notes', {
    params: { path: { id: 'inv_01JD0000000000000000000000' } },
  });
  await api.GET('/v1/invoices/{id}/credit-notes/{creditNoteId}', {
    params: { path: { id: 'inv_01JD0000000000000000000000', creditNoteId: 'cn_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/invoices/{id}/credit-notes/{creditNoteId}/void', {
    params: { path: { id: 'inv_01JD0000000000000000000000', creditNoteId: 'cn_01JD0000000000000000000000' } },
  });
  await api.GET('/v1/invoices/{id}/credit-notes/{creditNoteId}/pdf', {
    params: { path: { id: 'inv_01JD0000000000000000000000', creditNoteId: 'cn_01JD0000000000000000000000' } },
    parseAs: 'blob',
  });
  await api.GET('/v1/invoices/{id}/credit-notes/{creditNoteId}/xml', {
    params: {
      path: { id: 'inv_01JD0000000000000000000000', creditNoteId: 'cn_01JD0000000000000000000000' },
      query: { format: 'ubl' },
    },
    parseAs: 'text',
  });
}

async function hostedInvoice(): Promise<void> {
  await api.GET('/i/{token}', { params: { path: { token: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' } }, parseAs: 'text' });
  await api.GET('/i/{token}/pdf', {
    params: { path: { token: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' } },
    parseAs: 'blob',
  });
  await api.GET('/i/{token}/receipt', {
    params: { path: { token: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' } },
    parseAs: 'blob',
  });
  await api.GET('/i/{token}/credit-notes/{creditNoteId}/pdf', {
    params: { path: { token: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN', creditNoteId: 'cn_01JD0000000000000000000000' } },
    parseAs: 'blob',
  });
  await api.POST('/i/{token}/pay', { params: { path: { token: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' } } });
  await api.POST('/i/{token}/confirm', { params: { path: { token: 'kq3cX0Yb1mJ7w2dVtR9sZ4pN' } } });
}

async function ledger(): Promise<void> {
  await api.GET('/v1/ledger/trial-balance', { params: { query: { at: '2026-01-31' } } });
  await api.GET('/v1/ledger/entries', { params: { query: { account: 'cash' } } });
}

async function webhooks(): Promise<void> {
  await api.POST('/v1/webhooks', { body: { url: 'https://hooks.example.com/billing' } });
  await api.GET('/v1/webhooks');
  await api.GET('/v1/webhooks/{id}', { params: { path: { id: 'wh_01JD0000000000000000000000' } } });
  await api.PATCH('/v1/webhooks/{id}', {
    params: { path: { id: 'wh_01JD0000000000000000000000' } },
    body: { enabled: true },
  });
  await api.DELETE('/v1/webhooks/{id}', { params: { path: { id: 'wh_01JD0000000000000000000000' } } });
  await api.POST('/v1/webhooks/{id}/secret/rotate', {
    params: { path: { id: 'wh_01JD0000000000000000000000' } },
  });
  await api.DELETE('/v1/webhooks/{id}/secret/previous', {
    params: { path: { id: 'wh_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/webhooks/{id}/test', { params: { path: { id: 'wh_01JD0000000000000000000000' } } });
  await api.GET('/v1/webhooks/{id}/deliveries', {
    params: { path: { id: 'wh_01JD0000000000000000000000' }, query: { status: 'pending' } },
  });
  await api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', {
    params: { path: { id: 'wh_01JD0000000000000000000000', deliveryId: 'evt_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/retry', {
    params: { path: { id: 'wh_01JD0000000000000000000000', deliveryId: 'evt_01JD0000000000000000000000' } },
  });
  await api.POST('/v1/webhooks/{id}/replay', {
    params: { path: { id: 'wh_01JD0000000000000000000000' } },
    body: { since: '2026-01-31T00:00:00Z' },
  });
}

async function audit(): Promise<void> {
  await api.GET('/v1/audit', { params: { query: { action: 'customer.*' } } });
}

async function sandbox(): Promise<void> {
  await api.GET('/v1/sandbox/clock');
  await api.PUT('/v1/sandbox/clock', { body: { now: '2026-01-31T00:00:00Z' } });
  await api.POST('/v1/sandbox/clock/advance', { body: { to: '2026-01-31T00:00:00Z' } });
}

async function health(): Promise<void> {
  await api.GET('/v1/health');
  await api.GET('/v1/health/ready');
}

/** What is narrowed by a discriminator, and what stays open for values to come. */
async function answers(): Promise<void> {
  const { data: price, error } = await api.GET('/v1/prices/{id}', { params: { path: { id: 'price_1' } } });
  if (error) throw new Error(`${error.code}: ${error.error} (${error.requestId})`);
  const { config } = price;
  if (config.model === 'unit') config.unitPrice satisfies number;
  if (config.model === 'graduated') config.tiers.map(({ upTo }) => upTo satisfies number | null);

  const { data: invoices } = await api.GET('/v1/invoices', {
    params: { query: { status: 'open', limit: 10 } },
  });
  for (const invoice of invoices?.data ?? []) invoice.status satisfies string;

  const coupon = { name: 'Welcome', amountOff: 5, currency: 'USD' } satisfies Schemas['CreateCouponBody'];
  const { data: created } = await api.POST('/v1/coupons', {
    params: { header: { 'Idempotency-Key': 'welcome' } },
    body: coupon,
  });
  if (created && created.percentOff === null) created.amountOff satisfies number | null;
}

type Schemas = components['schemas'];

await authentication();
await apiKeys();
await customers();
await paymentMethods();
await metrics();
await prices();
await plans();
await coupons();
await taxes();
await subscriptions();
await priceMigrations();
await usageEvents();
await billing();
await invoices();
await hostedInvoice();
await ledger();
await webhooks();
await audit();
await sandbox();
await health();
await answers();
