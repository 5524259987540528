// A history to replay: what a workspace's customers, subscriptions and invoices leave behind in the event store, made by
// the deciders themselves and interleaved month by month, as it would have come.
import { newId, newUlid } from '#libs/kernel/system';
import { customerDecider } from '#libs/contexts/customers';
import { aggregateId } from '#libs/kernel/domain';
import { BILLING_DEFAULTS, invoiceDecider } from '#libs/contexts/invoicing';
import { subscriptionDecider } from '#libs/contexts/subscriptions';

const MONTHS = 12;
const EVENTS_PER_INVOICE = 5;
/** Two of the customer, the subscription's start, then a renewal and an invoice a month. */
export const EVENTS_PER_CUSTOMER = 3 + MONTHS * (1 + EVENTS_PER_INVOICE);
const IN_FLIGHT = 256;

const boundary = (month) => new Date(Date.UTC(2025, month, 1)).toISOString();

/**
 * Appends the events of so many customers that there are at least `least`.
 *
 * @returns how many events were appended
 */
export async function appendHistory({ client, codec }, least) {
  const customers = Array.from({ length: Math.ceil(least / EVENTS_PER_CUSTOMER) }, (_, i) => customer(i));
  let appended = 0;
  const append = async (category, id, events, now) => {
    const context = {
      commandId: newUlid(),
      workspaceId: 'acc_bench',
      actor: { type: 'api_key', id: 'key_bench' },
      correlationId: newUlid(),
      causationId: null,
      now,
      mayRepeat: false,
    };
    const stream = `${category}-${aggregateId('acc_bench', id)}`;
    await client.appendToStream(stream, await codec.encode(events, stream, context));
    appended += events.length;
  };
  for (let month = 0; month <= MONTHS; month++)
    await inParallel(customers, async (one) => {
      for (const [category, id, events] of month === 0 ? one.begin() : one.renew(month))
        await append(category, id, events, boundary(month));
    });
  return appended;
}

/** A customer with a card and a subscription to a fee and a usage price. */
function customer(index) {
  const [customerId, subscriptionId] = [newId('cust'), newId('sub')];
  return {
    begin() {
      const details = {
        name: `Customer ${index}`,
        email: `customer-${index}@example.com`,
        billingEmail: null,
        currency: 'USD',
        timezone: 'UTC',
        externalId: `crm-${index}`,
        metadata: { segment: index % 3 === 0 ? 'enterprise' : 'startup' },
      };
      const card = { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa ending 4242' };
      return [
        [
          customerDecider.category,
          customerId,
          [
            { type: 'CustomerCreated', data: { customerId, createdAt: boundary(0), ...details } },
            { type: 'PaymentMethodAttached', data: { customerId, ...card } },
          ],
        ],
        [subscriptionDecider.category, subscriptionId, [ofSubscription(0, { customerId, subscriptionId })]],
      ];
    },
    renew(month) {
      const renewed = ofSubscription(month, { customerId, subscriptionId });
      const { bill } = renewed.data;
      return [
        [subscriptionDecider.category, subscriptionId, [renewed]],
        [invoiceDecider.category, bill.invoiceId, invoiceEvents(bill, index, month)],
      ];
    },
  };
}

/**
 * The event of a subscription's month, from its start in month 0. All subscriptions are alike but for their ids, so what the
 * decider decides, with its calendar arithmetic, is asked for once.
 */
function ofSubscription(month, ids) {
  const { type, data } = (subscriptionEvents ??= decideSubscription())[month];
  const bill = data.bill && { ...data.bill, ...ids, invoiceId: newId('inv') };
  return { type, data: { ...data, ...ids, bill } };
}

let subscriptionEvents;

function decideSubscription() {
  const ids = { customerId: 'cust_any', subscriptionId: 'sub_any' };
  const at = boundary(0);
  const start = {
    type: 'CreateSubscription',
    ...ids,
    plan,
    timezone: 'UTC',
    startsAt: at,
    trialDays: 0,
    quantities: {},
    anchorDay: null,
    metadata: {},
    at,
  };
  const events = subscriptionDecider.decide(start, undefined);
  let subscription = subscriptionDecider.evolve(undefined, events[0]);
  for (let month = 1; month <= MONTHS; month++) {
    const run = { runId: `run_${month}`, trigger: 'schedule' };
    const due = boundary(month);
    const pass = {
      type: 'AdvanceSubscription',
      subscriptionId: ids.subscriptionId,
      due,
      at: due,
      run,
      endBecause: null,
    };
    const [renewed] = subscriptionDecider.decide(pass, subscription);
    subscription = subscriptionDecider.evolve(subscription, renewed);
    events.push(renewed);
  }
  return events;
}

const plan = {
  planId: 'plan_bench',
  planVersion: 1,
  planName: 'Pro',
  currency: 'USD',
  prices: [
    {
      priceId: 'price_fee',
      version: 1,
      name: 'Platform fee',
      config: { model: 'flat', amount: '20', currency: 'USD' },
      cadence: 'monthly',
      timing: 'in_arrears',
      metricId: null,
    },
    {
      priceId: 'price_usage',
      version: 1,
      name: 'API units',
      config: { model: 'unit', unitPrice: '0.0025', currency: 'USD' },
      cadence: 'usage_based',
      timing: 'in_arrears',
      metricId: 'met_bench',
    },
  ],
};

/** An invoice from draft to paid. */
function invoiceEvents(bill, index, month) {
  const { invoiceId, customerId, currency, periodStart, periodEnd, billedAt } = bill;
  const quantity = (index * 37 + month * 101) % 100_000;
  const usage = (Math.round(quantity * 0.25) / 100).toFixed(2);
  const total = (20 + Number(usage)).toFixed(2);
  const reference = { invoiceId, customerId, currency, total, at: billedAt };
  const line = (price, type, more) => ({
    id: newId('line'),
    type,
    description: price.name,
    priceId: price.priceId,
    priceVersion: 1,
    periodStart,
    periodEnd,
    ...more,
  });
  const method = { paymentMethodId: 'pm_1', type: 'test', test: 'pm_card_visa', label: 'Visa ending 4242' };
  const attemptId = newId('pay');
  return [
    {
      type: 'InvoiceCreated',
      data: {
        ...reference,
        subscriptionId: bill.subscriptionId,
        kind: bill.kind,
        lines: [
          line(plan.prices[0], 'flat', { quantity: '1', unitPrice: '20', amount: '20.00' }),
          line(plan.prices[1], 'usage', {
            metricId: 'met_bench',
            quantity: String(quantity),
            unitPrice: '0.0025',
            amount: usage,
          }),
        ],
        periodStart,
        periodEnd,
        billedAt,
        billToName: `Customer ${index}`,
        billToEmail: `billing-${index}@example.com`,
        timezone: 'UTC',
        settings: BILLING_DEFAULTS,
      },
    },
    {
      type: 'InvoiceOpened',
      data: {
        ...reference,
        number: `INV-${String(index * 100 + month).padStart(6, '0')}`,
        sellerName: 'Contoso Cloud Services',
        dueDate: boundary(month + 1),
      },
    },
    { type: 'PaymentStarted', data: { ...reference, attemptId, attempt: 1, amount: total, method } },
    { type: 'PaymentSucceeded', data: { ...reference, attemptId, attempt: 1, amount: total } },
    { type: 'InvoicePaid', data: { ...reference, attemptId } },
  ];
}

async function inParallel(items, work) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}
