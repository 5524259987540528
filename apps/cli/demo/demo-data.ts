import { type Instant } from '#libs/kernel/core';
import { randomToken } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import type { ApiClient } from './api-client.js';
import { demoBillingSettings } from './seller.js';
import { demoUsageEvents } from './usage.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** The credentials of the demo's workspace. */
export interface DemoAccess {
  apiKey: string;
  /** The workspace's id. A demo that an earlier version stored has no workspace id. */
  workspaceId?: string;
}

/** The data of the demo that is shown and stored. */
export interface Demo extends DemoAccess {
  email: string;
  password: string;
  customerId: string;
  invoiceId: string;
  /** The URL path of the hosted invoice page. */
  invoicePath: string;
}

/** The domain of the email addresses of the demos' users. */
export const DEMO_EMAIL_DOMAIN = 'countinghouse.example';

const USAGE_EVENTS = 3_000;
const BATCH = 1_000;
const DELIVERY_TIMEOUT_MILLIS = 20_000;

/**
 * Creates the demo's data through the API: a sandbox workspace, a catalog, a customer with a card, and a month of usage. The function then
 * bills the month. The invoice has tiers, a coupon, a tax and credits. The invoice is paid, and a webhook about it is sent. `month` is the
 * first instant of the billed month, and `nextMonth` is the first instant of the month after it.
 */
export async function createDemoData(
  api: ApiClient,
  month: Instant,
  nextMonth: Instant,
  { signedUp, said }: { signedUp: (access: DemoAccess) => void; said: (text: string) => void },
): Promise<{ demo: Demo; pdf: Buffer }> {
  const receiver = await WebhookReceiver.listen();
  try {
    const { email, password, session, key, apiKey, workspaceId } = await signUp(api);
    signedUp({ apiKey, workspaceId });
    const webhook = await session.post<{ id: string }>('/v1/webhooks', {
      url: receiver.url,
      events: ['invoice.created', 'invoice.paid'],
    });
    await key.put('/v1/sandbox/clock', { now: month });
    await key.put('/v1/billing-settings', demoBillingSettings);
    const planId = await createCatalog(key);
    const customerId = await createCustomer(key);
    await key.post('/v1/subscriptions', { customerId, planId });
    said(`sending ${USAGE_EVENTS.toLocaleString('en')} usage events …`);
    await key.post('/v1/sandbox/clock/advance', { to: lastSecondBefore(nextMonth) });
    // The credit on the balance pays a part of the month's invoice.
    await credit(key, await paidInvoice(key, customerId, 'flat'), 'An outage on the first day');
    const usage = demoUsageEvents(customerId, month, nextMonth, USAGE_EVENTS);
    for (let from = 0; from < usage.length; from += BATCH)
      await key.post('/v1/events', { events: usage.slice(from, from + BATCH) });
    said('billing the month …');
    await key.post('/v1/sandbox/clock/advance', { to: nextMonth });
    const invoiceId = await paidInvoice(key, customerId, 'usage');
    await credit(key, invoiceId, 'Tokens that were counted twice');
    const { url } = await key.get<{ url: string }>(`/v1/invoices/${invoiceId}/link`);
    const pdf = await key.getBytes(`/v1/invoices/${invoiceId}/pdf`);
    if (!(await receiver.waitForEvent('invoice.paid', DELIVERY_TIMEOUT_MILLIS)))
      throw new CliError('The webhook of the paid invoice did not arrive; see saga.log');
    // The receiver is closed at the end of the demo, so its webhook endpoint is disabled here.
    await session.patch(`/v1/webhooks/${webhook.id}`, { enabled: false });
    return {
      demo: {
        email,
        password,
        apiKey,
        workspaceId,
        customerId,
        invoiceId,
        invoicePath: new URL(url).pathname,
      },
      pdf,
    };
  } finally {
    receiver.close();
  }
}

/**
 * Registers a new user with a workspace. Each call uses a new email address, because an earlier demo that was interrupted may have
 * registered a fixed address already.
 */
async function signUp(api: ApiClient) {
  const email = `demo-${randomToken(4)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '0')}@${DEMO_EMAIL_DOMAIN}`;
  const password = randomToken(12);
  const { tokens, user } = await api.post<{ tokens: { accessToken: string }; user: { accountId: string } }>(
    '/v1/auth/register',
    {
      email,
      password,
      name: 'Demo User',
      companyName: 'Countinghouse Demo',
    },
  );
  const session = api.withCredential(tokens.accessToken);
  const { key: apiKey } = await session.post<{ key: string }>('/v1/api-keys', {
    name: 'demo',
    role: 'admin',
  });
  return { email, password, session, apiKey, workspaceId: user.accountId, key: api.withCredential(apiKey) };
}

/** Creates a plan with a fee in advance and two metered prices: one with tiers by model, and one with included units. */
async function createCatalog(key: ApiClient): Promise<string> {
  const create = async (path: string, body: object) => (await key.post<{ id: string }>(path, body)).id;
  const tokens = await create('/v1/metrics', {
    name: 'Tokens',
    eventName: 'llm.request',
    aggregation: { type: 'sum', property: 'tokens', groupBy: ['model'] },
  });
  const requests = await create('/v1/metrics', {
    name: 'Requests',
    eventName: 'llm.request',
    aggregation: { type: 'count' },
  });
  const prices = [
    await create('/v1/prices', {
      name: 'Platform fee',
      timing: 'in_advance',
      config: { model: 'flat', amount: 49, currency: 'USD' },
    }),
    await create('/v1/prices', {
      name: 'Tokens',
      metricId: tokens,
      cadence: 'usage_based',
      config: {
        model: 'graduated',
        tiers: [
          { upTo: 1_000_000, unitPrice: 0.00002 },
          { upTo: null, unitPrice: 0.000012 },
        ],
        currency: 'USD',
      },
    }),
    await create('/v1/prices', {
      name: 'Requests',
      metricId: requests,
      cadence: 'usage_based',
      config: { model: 'unit', unitPrice: 0.002, includedUnits: 1_000, currency: 'USD' },
    }),
  ];
  return create('/v1/plans', { name: 'Team', prices });
}

/** Creates a customer with a card, a tax and a coupon. */
async function createCustomer(key: ApiClient): Promise<string> {
  const salesTax = { name: 'Sales tax', percentage: 8.875, inclusive: false };
  const taxRate = await key.post<{ id: string }>('/v1/tax-rates', salesTax);
  const { id } = await key.post<{ id: string }>('/v1/customers', {
    name: 'Northwind Traders Ltd',
    email: 'accounts@northwind.example',
    currency: 'USD',
    address: {
      line1: '120 Broadway',
      city: 'New York',
      region: 'NY',
      postalCode: '10271',
      country: 'US',
    },
    poNumber: 'PO-2026-0815',
    customFields: [{ name: 'Cost center', value: '4711' }],
    taxRateIds: [taxRate.id],
  });
  const welcome = { id: 'WELCOME10', name: 'Welcome discount', percentOff: 10, duration: 'forever' };
  const coupon = await key.post<{ id: string }>('/v1/coupons', welcome);
  await key.post(`/v1/customers/${id}/coupons`, { couponId: coupon.id });
  await key.post(`/v1/customers/${id}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
  return id;
}

/** Credits a part of a paid invoice to the customer's balance. */
async function credit(key: ApiClient, invoiceId: string, memo: string): Promise<void> {
  const note = { reason: 'service_issue', memo, amount: 5, to: 'balance' };
  await key.post(`/v1/invoices/${invoiceId}/credit-note`, note);
}

/** Returns the newest paid invoice with lines of this type. The invoice was charged automatically when it was opened. */
async function paidInvoice(key: ApiClient, customerId: string, type: 'flat' | 'usage'): Promise<string> {
  const { data } = await key.get<{ data: { id: string; lines: { type: string }[] }[] }>(
    `/v1/invoices?status=paid&customer_id=${customerId}`,
  );
  const invoice = data.find(({ lines }) => lines.some((line) => line.type === type));
  if (!invoice) throw new CliError('The demo has no paid invoice; see saga.log');
  return invoice.id;
}

function lastSecondBefore(instant: Instant): Instant {
  return new Date(Date.parse(instant) - 1_000).toISOString();
}
