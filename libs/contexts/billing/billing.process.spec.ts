import { describe, it } from '@jest/globals';
import type { PriceSnapshot } from '#libs/rating';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { WalletEvent } from '#libs/contexts/credits';
import type { LicenseEvent } from '#libs/contexts/licenses';
import type { Bill, SubscriptionEvent } from '#libs/contexts/subscriptions';
import { react, recordedEvent } from '#libs/kernel/testing';
import { BillingProcess } from './billing.process.js';

const stream = 'subscription-acc_1.sub_1';
const subscriptionId = 'sub_1';
const customerId = 'cust_1';
const start = '2026-01-31T00:00:00.000Z';
const end = '2026-02-28T00:00:00.000Z';
const next = '2026-03-31T00:00:00.000Z';
const run = { runId: 'run_1', trigger: 'schedule' } as const;

const fee: PriceSnapshot = {
  priceId: 'price_1',
  version: 1,
  name: 'Base fee',
  config: { model: 'flat', amount: '20', currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_advance',
  metricId: null,
};
const bill: Bill = {
  invoiceId: 'inv_1',
  kind: 'cycle',
  subscriptionId,
  customerId,
  currency: 'USD',
  billedAt: start,
  periodStart: start,
  periodEnd: end,
  charges: [{ price: fee, service: { start, end }, period: { start, end } }],
};
const created = (first: Bill | null): SubscriptionEvent => ({
  type: 'SubscriptionCreated',
  data: {
    subscriptionId,
    customerId,
    planId: 'plan_1',
    planVersion: 1,
    planName: 'Pro',
    currency: 'USD',
    timezone: 'UTC',
    anchor: start,
    startedAt: start,
    at: start,
    billingInterval: 'monthly',
    items: [{ price: fee, quantity: '1', since: start }],
    anchorDay: null,
    trialEnd: null,
    metadata: {},
    phase: 'active',
    period: { index: 0, start, end },
    bill: first,
  },
});

const issue = { name: 'issue-invoice', payload: { bill } };
const passAt = (dueAt: string) => ({ name: 'pass-boundary', payload: { subscriptionId }, dueAt });

// Tasks are not performed in these tests, so the collaborators are not needed.
const none: unknown[] = [];
const billing = new BillingProcess(...(none as unknown as ConstructorParameters<typeof BillingProcess>));
const when = (event: SubscriptionEvent | InvoiceEvent | LicenseEvent | WalletEvent) =>
  react(billing).when(recordedEvent(stream, event));

describe('billing reacts', () => {
  it('to a new subscription by invoicing its first bill at once, and with a timer at the first boundary', () => {
    when(created(bill)).then(issue, passAt(end));
  });

  it('only with the timer if nothing is due at the start', () => {
    when(created(null)).then(passAt(end));
  });

  it('to a threshold of the plan or the subscription by checking it', () => {
    const look = { name: 'bill-progress', payload: { subscriptionId } };
    const { data } = created(null) as Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>;
    const withTerms = (more: object) => when({ type: 'SubscriptionCreated', data: { ...data, ...more } });
    withTerms({ billingThresholds: { amountGte: '10' } }).then(passAt(end), look);
    withTerms({ ownBillingThresholds: { amountGte: '10' } }).then(passAt(end), look);
    withTerms({ billingThresholds: { amountGte: '10' }, ownBillingThresholds: null }).then(passAt(end));
  });

  it('to a price of licenses by counting them, since some may be allocated at the same moment', () => {
    const { data } = created(null) as Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>;
    const seat = { ...fee, licenseTypeId: 'editor' };
    const items = [{ price: seat, quantity: '0', since: start }];
    const count = { name: 'pass-boundary', key: 'count-licenses', payload: { subscriptionId } };
    when({ type: 'SubscriptionCreated', data: { ...data, items } }).then(passAt(end), count);
  });

  it('to licenses by counting them in the subscriptions of the customer, and invoicing the bill of a count', () => {
    const changed = { customerId, licenseId: 'lic_1', licenseTypeId: 'editor', at: start, active: 1 };
    const count = { name: 'count-licenses', payload: { customerId } };
    when({ type: 'LicenseAllocated', data: changed }).then(count);
    when({ type: 'LicenseDeactivated', data: changed }).then(count);
    const about = { subscriptionId, customerId, at: start, items: [] };
    const licenses = { changes: 1, active: { editor: 1 } };
    when({ type: 'SubscriptionLicensesCounted', data: { ...about, licenses, bill } }).then(issue);
    when({ type: 'SubscriptionLicensesCounted', data: { ...about, licenses, bill: null } }).then();
  });

  it('to usage in credits that was taken for an invoice by checking later that the invoice has it', () => {
    const taken = { customerId, creditType: 'ai', invoiceId: 'inv_1' };
    const data = { ...taken, at: start, balance: '0' };
    const check = {
      name: 'return-left-out',
      subject: 'inv_1 ai',
      payload: taken,
      dueAt: '2026-01-31T00:10:00.000Z',
    };
    when({
      type: 'CreditOverageBilled',
      data: { ...data, overage: [], unitPrice: '1', currency: 'USD' },
    }).then(check);
    when({ type: 'CreditsUsedInvoiced', data: { ...data, used: [] } }).then(check);
  });

  it('to a renewal by invoicing its bill, and with a timer at the next boundary', () => {
    const period = { index: 1, start: end, end: next };
    when({ type: 'SubscriptionRenewed', data: { subscriptionId, customerId, period, bill, run } }).then(
      issue,
      passAt(next),
    );
  });

  it('to an amendment by invoicing its bill, or the overage if it ends a period without a bill', () => {
    const { data } = created(null) as Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>;
    const amendment = { amendmentId: 'amd_1', kind: 'amend', prorate: true, at: start, run: null } as const;
    const change = { plan: null, quantities: {}, addPrices: [], removePrices: [] };
    const { planId, planVersion } = data;
    const amended = (more: object) =>
      when({
        type: 'SubscriptionAmended',
        data: { ...data, ...amendment, change, from: { planId, planVersion }, bill: null, ...more },
      });
    amended({ bill }).then(issue, passAt(end));
    amended({ bill, endsPeriod: true }).then(issue, passAt(end));
    amended({}).then(passAt(end));
    amended({ endsPeriod: true }).then(passAt(end), {
      name: 'invoice-overage',
      payload: { subscriptionId, at: start },
    });
  });

  it('in the same way to a delayed start, the end of a trial and the end of a pause', () => {
    const period = { index: 0, start, end };
    const about = { subscriptionId, customerId, at: start, period, bill, run };
    const plan = { planId: 'plan_1', planVersion: 1, currency: 'USD' };
    when({ type: 'SubscriptionStarted', data: { ...about, ...plan, phase: 'active' } }).then(
      issue,
      passAt(end),
    );
    when({ type: 'SubscriptionTrialEnded', data: about }).then(issue, passAt(end));
    const resumed = { phase: 'active', anchor: start, trialEnd: null } as const;
    when({ type: 'SubscriptionResumed', data: { ...about, ...resumed } }).then(issue, passAt(end));
  });

  it('to a pause by invoicing its bill, and with a timer at its end if that is known', () => {
    const paused = { subscriptionId, customerId, at: start, run: null };
    when({ type: 'SubscriptionPaused', data: { ...paused, bill, resumeAt: null } }).then(issue);
    when({ type: 'SubscriptionPaused', data: { ...paused, bill: null, resumeAt: end } }).then(
      { name: 'invoice-overage', payload: { subscriptionId, at: paused.at } },
      passAt(end),
    );
  });

  it('with a timer to a scheduled pause or a scheduled end of a pause', () => {
    const about = { subscriptionId, customerId };
    when({ type: 'SubscriptionPauseScheduled', data: { ...about, pauseAt: end, resumeAt: next } }).then(
      passAt(end),
    );
    when({ type: 'SubscriptionResumptionScheduled', data: { ...about, resumeAt: next } }).then(passAt(next));
    when({ type: 'SubscriptionPauseWithdrawn', data: about }).then();
  });

  it('to a voided invoice by notifying its subscriptions, and by returning its coupon uses and overage', () => {
    const about = { at: start, invoiceId: 'inv_1', customerId, currency: 'USD', total: '20.00' };
    when({ type: 'InvoiceVoided', data: { ...about, number: null, reason: null } }).then(
      { name: 'record-invoice-void', payload: { invoiceId: 'inv_1' } },
      { name: 'return-coupons', payload: { invoiceId: 'inv_1' } },
      { name: 'return-overage', payload: { invoiceId: 'inv_1' } },
    );
  });

  it('to billed usage and to the end of a subscription by invoicing, without a timer', () => {
    when({ type: 'SubscriptionUsageBilled', data: { subscriptionId, through: start, bill } }).then(issue);
    const canceled = { subscriptionId, customerId, at: end, reason: 'requested', run: null } as const;
    when({ type: 'SubscriptionCanceled', data: { ...canceled, bill } }).then(issue);
    when({ type: 'SubscriptionCanceled', data: { ...canceled, bill: null } }).then({
      name: 'invoice-overage',
      payload: { subscriptionId, at: canceled.at },
    });
  });

  it('with a timer to a scheduled cancellation', () => {
    when({ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, cancelAt: end } }).then(
      passAt(end),
    );
  });

  it('not to events of other contexts', () => {
    react(billing)
      .when(recordedEvent('customer-acc_1.cust_1', { type: 'CustomerDeleted', data: { customerId } }))
      .then();
  });
});
