import type { Catalog } from './catalog.ts';
import {
  advance,
  attach,
  createdId,
  customer,
  invoicesOf,
  settle,
  subscriptionOf,
  until,
  use,
  type Sandbox,
} from './sandbox.ts';

const SELLER = {
  legalName: 'Contoso GmbH',
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxId: 'DE123456789',
  email: 'billing@contoso.example',
};

const DETAILS = {
  email: 'ops@northwind.example',
  billingEmail: 'ap@northwind.example',
  address: { line1: '120 Broadway', city: 'New York', region: 'NY', postalCode: '10271', country: 'US' },
  language: 'de',
  timezone: 'Europe/Berlin',
  externalId: 'crm-1',
  poNumber: 'PO-1',
  customFields: [{ name: 'Cost center', value: '4711' }],
  metadata: { segment: 'smb' },
};

/** Who is subscribed to what from the first of January on, by the name of the plan. */
const SUBSCRIBERS = {
  everything: ['north'],
  trial: ['trying'],
  threshold: ['heavy'],
  committed: ['light'],
  team: ['debtor', 'failing', 'pair'],
  former: ['moved-at-once', 'moved-at-renewal'],
  basic: [
    'upgrading',
    'pausing',
    'leaving',
    'refunded',
    'staying',
    'ending',
    'declined',
    'confirming',
    'written-off',
    'returning',
    'pair',
  ],
} as const;

const CARDS: Record<string, string | null> = {
  declined: 'pm_card_chargeDeclined',
  confirming: 'pm_card_authenticationRequired',
  debtor: null,
  'written-off': null,
};

/** Customers begin; in the middle of the month their subscriptions change. */
export async function playJanuary(sandbox: Sandbox, catalog: Catalog): Promise<void> {
  await begin(sandbox, catalog);
  await advance(sandbox, '2026-01-16T00:00:00Z');
  await useInJanuary(sandbox);
  await changeTerms(sandbox, catalog);
  await pauseAndEnd(sandbox);
  await pay(sandbox);
  await migrate(sandbox, catalog);
  await settle(sandbox);
}

async function begin(sandbox: Sandbox, { plans, vat }: Catalog): Promise<void> {
  const { http } = sandbox;
  const settings = { netDays: 14, seller: SELLER, defaultTaxRateIds: [vat], invoiceFooter: 'Thank you' };
  await http.put('/v1/billing-settings', settings);
  for (const id of new Set(Object.values(SUBSCRIBERS).flat()))
    await customer(sandbox, id, {
      card: CARDS[id] === undefined ? 'pm_card_visa' : CARDS[id],
      ...(id === 'north' && DETAILS),
    });
  await http.patch('/v1/customers/north', { taxId: 'DE987654321' });
  const other = await attach(http, 'north', 'pm_card_mastercard');
  await http.post(`/v1/customers/north/payment-methods/${other}/default`);
  await http.delete(
    `/v1/customers/${await customer(sandbox, 'gone', { taxExemptReason: 'Reverse charge' })}`,
  );

  const coupon = (id: string, more: object) => http.post('/v1/coupons', { id, name: id, ...more });
  await coupon('TENTH', { percentOff: 10, duration: 'forever' });
  await coupon('FIVE', { amountOff: 5, currency: 'USD', duration: 'repeating', durationInInvoices: 3 });
  await coupon('OVER', { percentOff: 50 });
  await http.post('/v1/customers/north/coupons', { couponId: 'TENTH' });
  const { id: redemptionId } = await http.post('/v1/customers/north/coupons', { couponId: 'OVER' });
  await http.delete(`/v1/customers/north/coupons/${redemptionId}`);
  await http.post('/v1/coupons/OVER/deactivate');
  await http.refused('/v1/customers/north/coupons', { couponId: 'TENTH' });

  const subscribe = (customerId: string, planId: string, more: object = {}) =>
    http.post('/v1/subscriptions', { customerId, planId, externalId: `${customerId}-${planId}`, ...more });
  for (const [plan, ids] of Object.entries(SUBSCRIBERS))
    for (const id of ids)
      await subscribe(id, plans[plan as keyof typeof SUBSCRIBERS], {
        ...(id === 'returning' && { coupons: ['FIVE'] }),
        ...(id === 'north' && { metadata: { deal: 'D-1' } }),
      });
  await subscribe(await customer(sandbox, 'later'), plans.basic, { startsAt: '2026-01-10T00:00:00Z' });
  await subscribe(await customer(sandbox, 'anchored'), plans.team, { anchorDay: 20 });
}

async function useInJanuary(sandbox: Sandbox): Promise<void> {
  const { http } = sandbox;
  const calls = [1, 20, 300].map((units) => ({ units, kind: 'billed', user: `u${units}` }));
  for (const id of ['north', 'upgrading', 'light', 'pausing', 'leaving', 'trying'])
    await use(sandbox, id, 'call', '2026-01-02T10:00:00Z', [...calls, { units: 7, kind: 'free' }]);
  await use(sandbox, 'north', 'machine', '2026-01-03T00:00:00Z', [
    { region: 'eu', size: 'small', hours: 100 },
    { region: 'us', size: 'large', hours: 8.5 },
  ]);
  await use(sandbox, 'north', 'payment', '2026-01-04T00:00:00Z', [
    { amount: 10 },
    { amount: 99.95 },
    { amount: 400 },
  ]);
  await use(sandbox, 'north', 'storage', '2026-01-05T00:00:00Z', [{ gb: 12 }, { gb: 40 }, { gb: '17.5' }]);
  await use(sandbox, 'north', 'mistyped', '2026-01-06T00:00:00Z', [{ units: 1 }]);
  await use(sandbox, 'heavy', 'call', '2026-01-07T00:00:00Z', [{ units: 5_000, kind: 'billed' }]);
  await until(async () => (await invoicesOf(sandbox, 'heavy')).length > 0);
  const { id } = await subscriptionOf(sandbox, 'north');
  await http.post(`/v1/subscriptions/${id}/invoices`);
}

async function changeTerms(sandbox: Sandbox, { plans, prices }: Catalog): Promise<void> {
  const { http } = sandbox;
  const path = async (customerId: string) =>
    `/v1/subscriptions/${(await subscriptionOf(sandbox, customerId)).id}`;
  await http.post(`${await path('upgrading')}/amend`, { planId: plans.team });
  // What is given back beyond what is charged is taken off the invoice that is not paid.
  await http.post(`${await path('debtor')}/amend`, { planId: plans.basic });
  const failing = await path('failing');
  const seats = { quantities: [{ priceId: prices.seats, quantity: 3 }] };
  const { amendment } = await http.post(`${failing}/schedule-amendment`, { addPrices: [prices.support] });
  await http.post(`${failing}/amendments/${amendment.id}/cancel`);
  await http.post(`${failing}/schedule-amendment`, { ...seats, effectiveAt: '2026-01-20T00:00:00Z' });
  await http.post(`${failing}/schedule-amendment`, {
    removePrices: [prices.calls],
    effectiveAt: '2026-01-21T00:00:00Z',
  });
  await http.post(`${failing}/amend`, { ...seats, removePrices: [prices.calls], prorate: false });
}

async function pauseAndEnd(sandbox: Sandbox): Promise<void> {
  const { http } = sandbox;
  const act = async (customerId: string, action: string, body: object = {}) =>
    http.post(`/v1/subscriptions/${(await subscriptionOf(sandbox, customerId)).id}/${action}`, body);
  await act('pausing', 'pause', { effectiveAt: '2026-01-20T00:00:00Z' });
  await act('pausing', 'resume');
  await act('pausing', 'pause');
  await act('pausing', 'resume', { effectiveAt: '2026-01-25T00:00:00Z' });
  await act('leaving', 'cancel', { immediately: true });
  await act('refunded', 'cancel', { immediately: true, credit: 'refund' });
  await act('staying', 'cancel');
  await act('staying', 'uncancel');
  await act('ending', 'cancel', { finalInvoice: false });
}

async function pay(sandbox: Sandbox): Promise<void> {
  const { http, visitor } = sandbox;
  await settle(sandbox);
  const [first] = await invoicesOf(sandbox, 'confirming');
  const { url } = await http.get(`/v1/invoices/${first.id}/link`);
  await visitor.submit(`${new URL(url).pathname}/confirm`);
  const line = { description: 'Setup', quantity: 2, unitPrice: 49.5 };
  const manual = { customerId: 'north', currency: 'USD', lines: [line], draft: true, memo: 'As agreed' };
  await http.post(`/v1/invoices/${await createdId(http, '/v1/invoices', manual)}/approve`);
  await http.post(`/v1/invoices/${await createdId(http, '/v1/invoices', manual)}/void`, { reason: 'Twice' });
}

async function migrate(sandbox: Sandbox, { plans }: Catalog): Promise<void> {
  const { http } = sandbox;
  const move = { fromPlanId: plans.former, toPlanId: plans.basic };
  const schedule = (name: string, effectiveAt: string, customerIds?: string[]) =>
    createdId(http, '/v1/price-migrations', {
      ...move,
      name,
      effectiveAt,
      ...(customerIds && { customerIds }),
    });
  await http.post(`/v1/price-migrations/${await schedule('Withdrawn', '2026-03-01T00:00:00Z')}/cancel`);
  await schedule('At once', '2026-01-20T00:00:00Z', ['moved-at-once']);
  await schedule('At renewal', 'period_end', ['moved-at-renewal']);
}
