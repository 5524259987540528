import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#libs/kernel/domain';
import type { CustomerEvent } from '#libs/contexts/customers';
import type { InvoiceEvent } from '#libs/contexts/invoicing';
import type { PriceMigrationEvent } from '#libs/contexts/price-migrations';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import { react, recordedEvent } from '#libs/kernel/testing';
import type { WebhookEvent } from './events.js';
import type { Reminder } from './public-events/reminders.js';
import { WebhooksProcess } from './webhooks.process.js';

const process = new WebhooksProcess(...([] as unknown as ConstructorParameters<typeof WebhooksProcess>));
const occurredAt = '2026-02-01T00:00:00.000Z';
const at = '2026-02-01T00:00:00.000Z';
const reference = { invoiceId: 'inv_1', customerId: 'cust_1', currency: 'USD', total: '120.50', at };
const invoice = '"id":"inv_1","customerId":"cust_1","total":120.50,"currency":"USD"';

/** The task that sends an event, with `data` as JSON. */
const tells = (event: string, data: string, more: object = {}) => ({
  name: 'fan-out',
  payload: { event, data, ...more, timestamp: occurredAt, position: '7' },
  clock: 'system' as const,
});

/** The timer for the upcoming invoice at the end of a period. */
const foretells = (until: string, dueAt: string) =>
  reminds({ event: 'invoice.upcoming', subscriptionId: 'sub_1', until }, dueAt);

/** The timer of a reminder. */
const reminds = (reminder: Reminder, dueAt: string) => ({
  name: 'remind',
  key: reminder.event,
  payload: reminder,
  dueAt,
});

const when = <E extends DomainEvent>(event: E) =>
  react(process).when(recordedEvent('stream-acc_1.1', event as DomainEvent, { occurredAt, position: 7n }));

describe('messages to endpoints', () => {
  it('tell of an invoice', () => {
    when<InvoiceEvent>({
      type: 'InvoiceOpened',
      data: {
        ...reference,
        kind: 'progressive' as const,
        number: 'INV-000042',
        sellerName: 'Acme',
        dueDate: '2026-03-03T00:00:00.000Z',
      },
    }).then(
      tells(
        'invoice.created',
        `{${invoice},"kind":"progressive","status":"open","number":"INV-000042","dueDate":"2026-03-03T00:00:00.000Z"}`,
      ),
      reminds({ event: 'invoice.due_soon', invoiceId: 'inv_1' }, '2026-02-28T00:00:00.000Z'),
      reminds({ event: 'invoice.overdue', invoiceId: 'inv_1' }, '2026-03-03T00:00:00.000Z'),
    );
    when<InvoiceEvent>({ type: 'InvoicePaid', data: { ...reference, attemptId: 'pay_1' } }).then(
      tells('invoice.paid', `{${invoice},"status":"paid","paidAt":"${at}"}`),
    );
    when<InvoiceEvent>({
      type: 'InvoiceVoided',
      data: { ...reference, number: 'INV-000042', reason: 'a mistake' },
    }).then(
      tells(
        'invoice.voided',
        `{${invoice},"status":"void","number":"INV-000042","voidedAt":"${at}","reason":"a mistake"}`,
      ),
    );
  });

  it('tell only that an invoice is overdue if it is due within three days', () => {
    const opened = { ...reference, kind: 'cycle' as const, number: 'INV-000042', sellerName: 'Acme' };
    when<InvoiceEvent>({ type: 'InvoiceOpened', data: { ...opened, dueDate: at } }).then(
      tells(
        'invoice.created',
        `{${invoice},"kind":"cycle","status":"open","number":"INV-000042","dueDate":"${at}"}`,
      ),
      reminds({ event: 'invoice.overdue', invoiceId: 'inv_1' }, at),
    );
  });

  it('tell of a credit note with a number, and of an invoice that is written off', () => {
    when<InvoiceEvent>({
      type: 'CreditNoteNumbered',
      data: { ...reference, creditNoteId: 'cn_1', number: 'CN-000001', amount: '5.00', reason: 'other' },
    }).then(
      tells(
        'invoice.credit_note',
        `{${invoice},"creditNote":{"id":"cn_1","number":"CN-000001","amount":5.00,"reason":"other"}}`,
      ),
    );
    when<InvoiceEvent>({
      type: 'InvoiceMarkedUncollectible',
      data: { ...reference, amount: '5.00' },
    }).then(tells('invoice.marked_uncollectible', `{${invoice},"status":"uncollectible","amountDue":5.00}`));
  });

  it('tell of a void credit note', () => {
    const about = { creditNoteId: 'cn_1', number: 'CN-000001', amount: '5.00' };
    when<InvoiceEvent>({ type: 'CreditNoteVoided', data: { ...reference, ...about, reason: null } }).then(
      tells(
        'invoice.credit_note_voided',
        `{${invoice},"creditNote":{"id":"cn_1","number":"CN-000001","amount":5.00,"status":"void",` +
          `"voidedAt":"${at}","voidReason":null}}`,
      ),
    );
  });

  it('tell of a failed charge', () => {
    when<InvoiceEvent>({
      type: 'PaymentFailed',
      data: {
        ...reference,
        attemptId: 'pay_1',
        attempt: 2,
        code: 'card_declined',
        message: 'Declined',
        retries: { nextAttemptAt: '2026-02-02T00:00:00.000Z' },
      },
    }).then(
      tells(
        'invoice.payment_failed',
        `{${invoice},"status":"open","attempt":2,"failure":{"code":"card_declined","message":"Declined"},` +
          `"nextAttemptAt":"2026-02-02T00:00:00.000Z","retriesEnded":null}`,
      ),
    );
    when<InvoiceEvent>({
      type: 'PaymentActionRequired',
      data: { ...reference, attemptId: 'pay_1', message: 'Confirm the payment' },
    }).then(
      tells(
        'invoice.payment_action_required',
        `{${invoice},"status":"open","message":"Confirm the payment"}`,
      ),
    );
  });

  it('tell of a failed charge of an invoice that was written off', () => {
    const about = { ...reference, attemptId: 'pay_1', writtenOff: true } as const;
    const told = (event: string, more: string) =>
      tells(event, `{${invoice},"status":"uncollectible",${more}}`);
    when<InvoiceEvent>({
      type: 'PaymentFailed',
      data: { ...about, attempt: 2, code: 'card_declined', message: 'Declined' },
    }).then(
      told(
        'invoice.payment_failed',
        `"attempt":2,"failure":{"code":"card_declined","message":"Declined"},"nextAttemptAt":null,"retriesEnded":null`,
      ),
    );
    when<InvoiceEvent>({
      type: 'PaymentActionRequired',
      data: { ...about, message: 'Confirm the payment' },
    }).then(told('invoice.payment_action_required', '"message":"Confirm the payment"'));
  });

  it('tell of a subscription', () => {
    const subscription = {
      subscriptionId: 'sub_1',
      customerId: 'cust_1',
      planId: 'plan_1',
      planVersion: 3,
      planName: 'Growth',
      currency: 'USD',
      timezone: 'UTC',
      anchor: at,
      startedAt: at,
      at,
      billingInterval: 'monthly',
      items: [],
      anchorDay: null,
      trialEnd: null,
      metadata: {},
      phase: 'active',
      period: { index: 0, start: at, end: '2026-03-01T00:00:00.000Z' },
      bill: null,
    } as const;
    when<SubscriptionEvent>({ type: 'SubscriptionCreated', data: { ...subscription, items: [] } }).then(
      tells(
        'subscription.created',
        `{"id":"sub_1","customerId":"cust_1","status":"active","planId":"plan_1","planVersion":3,"currency":"USD","startedAt":"${at}",` +
          `"currentPeriodStart":"${at}","currentPeriodEnd":"2026-03-01T00:00:00.000Z"}`,
      ),
      foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'),
    );
    // A subscription that starts later is announced at its start. Until then it only has the timer of its upcoming invoice.
    when<SubscriptionEvent>({
      type: 'SubscriptionCreated',
      data: { ...subscription, items: [], phase: 'pending' },
    }).then(foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'));
    const { period, planId, planVersion, currency } = subscription;
    const about = { subscriptionId: 'sub_1', customerId: 'cust_1' };
    const run = { runId: 'run_1', trigger: 'schedule' } as const;
    when<SubscriptionEvent>({
      type: 'SubscriptionStarted',
      data: { ...about, at, planId, planVersion, currency, phase: 'trialing', period, bill: null, run },
    }).then(
      tells(
        'subscription.created',
        `{"id":"sub_1","customerId":"cust_1","status":"trialing","planId":"plan_1","planVersion":3,"currency":"USD","startedAt":"${at}",` +
          `"currentPeriodStart":"${at}","currentPeriodEnd":"2026-03-01T00:00:00.000Z"}`,
      ),
      reminds(
        { event: 'subscription.trial_ending', subscriptionId: 'sub_1', until: '2026-03-01T00:00:00.000Z' },
        '2026-02-26T00:00:00.000Z',
      ),
      foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'),
    );
    when<SubscriptionEvent>({
      type: 'SubscriptionRenewed',
      data: { ...about, period, bill: null, run },
    }).then(foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'));
    when<SubscriptionEvent>({
      type: 'SubscriptionPaused',
      data: { ...about, at, resumeAt: null, bill: null, run: null },
    }).then(
      tells(
        'subscription.paused',
        `{"id":"sub_1","customerId":"cust_1","status":"paused","pausedAt":"${at}","resumesAt":null}`,
      ),
    );
    when<SubscriptionEvent>({
      type: 'SubscriptionResumed',
      data: { ...about, at, phase: 'active', anchor: at, trialEnd: null, period, bill: null, run: null },
    }).then(
      tells(
        'subscription.resumed',
        `{"id":"sub_1","customerId":"cust_1","status":"active","resumedAt":"${at}","currentPeriodStart":"${at}",` +
          `"currentPeriodEnd":"2026-03-01T00:00:00.000Z"}`,
      ),
      foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'),
    );
    const amended = (planVersion: number): SubscriptionEvent => ({
      type: 'SubscriptionAmended',
      data: {
        ...about,
        at,
        amendmentId: 'amd_1',
        kind: 'amend',
        prorate: true,
        currency: 'USD',
        change: { plan: null, addPrices: [], removePrices: [], quantities: {} },
        from: { planId: 'plan_1', planVersion: 1 },
        planId: 'plan_1',
        planVersion,
        planName: 'Pro',
        anchor: at,
        billingInterval: 'monthly',
        items: [],
        period,
        bill: null,
        run: null,
      },
    });
    when(amended(2)).then(
      tells(
        'subscription.plan_change',
        `{"id":"sub_1","customerId":"cust_1","planId":"plan_1","planVersion":2,"previousPlanId":"plan_1",` +
          `"previousPlanVersion":1,"changedAt":"${at}","currentPeriodStart":"${at}",` +
          `"currentPeriodEnd":"2026-03-01T00:00:00.000Z"}`,
      ),
      foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'),
    );
    when(amended(1)).then(foretells('2026-03-01T00:00:00.000Z', '2026-02-26T00:00:00.000Z'));
    when<SubscriptionEvent>({
      type: 'SubscriptionPaymentFailed',
      data: { ...about, invoiceId: 'inv_1' },
    }).then(
      tells(
        'subscription.past_due',
        '{"id":"sub_1","customerId":"cust_1","status":"past_due","invoiceId":"inv_1"}',
      ),
    );
    when<SubscriptionEvent>({
      type: 'SubscriptionCanceled',
      data: { subscriptionId: 'sub_1', customerId: 'cust_1', at, reason: 'requested', bill: null, run: null },
    }).then(
      tells(
        'subscription.cancel',
        `{"id":"sub_1","customerId":"cust_1","status":"canceled","canceledAt":"${at}","reason":"requested"}`,
      ),
    );
  });

  it('tell of a customer, with personal data only when they are sent', () => {
    const message = (event: string, data: object, revision?: string) => ({
      name: 'fan-out',
      payload: {
        event,
        data: JSON.stringify(data),
        ...(revision === undefined ? {} : { resource: { category: 'customer', id: 'cust_1', revision } }),
        timestamp: occurredAt,
        position: '7',
      },
      clock: 'system' as const,
    });
    const changed = (event: CustomerEvent, revision: bigint) =>
      react(process).when(
        recordedEvent('customer-acc_1.cust_1', event as DomainEvent, { occurredAt, revision, position: 7n }),
      );
    changed({ type: 'CustomerUpdated', data: { customerId: 'cust_1', name: 'Zoë' } }, 7n).then(
      message('customer.updated', { id: 'cust_1' }, '7'),
    );
    changed(
      { type: 'DefaultPaymentMethodChanged', data: { customerId: 'cust_1', paymentMethodId: 'pm_1' } },
      8n,
    ).then(message('customer.updated', { id: 'cust_1' }, '8'));
    changed({ type: 'CustomerDeleted', data: { customerId: 'cust_1' } }, 9n).then(
      message('customer.deleted', { id: 'cust_1', deleted: true }),
    );
  });

  it('tell of a price migration', () => {
    const about = { migrationId: 'mig_1', at };
    when<PriceMigrationEvent>({ type: 'PriceMigrationStarted', data: about }).then(
      tells('price_migration.started', '{"id":"mig_1"}'),
    );
    when<PriceMigrationEvent>({
      type: 'PriceMigrationFinished',
      data: { ...about, migrated: 2, skipped: 0, failed: 0 },
    }).then(tells('price_migration.finished', '{"id":"mig_1"}'));
  });

  it('tell of a test, which is for one endpoint only', () => {
    when<WebhookEvent>({
      type: 'WebhookTestRequested',
      data: { webhookId: 'wh_1', deliveryId: 'evt_1' },
    }).then(
      tells(
        'webhook.test',
        '{"id":"wh_1","message":"This is a test. The endpoint works if it answers with 2xx."}',
        {
          to: { webhookId: 'wh_1', deliveryId: 'evt_1' },
        },
      ),
    );
  });

  it('do not exist for internal events', () => {
    when<InvoiceEvent>({ type: 'PaymentConfirmed', data: { ...reference, attemptId: 'pay_1' } }).then();
    when<WebhookEvent>({ type: 'WebhookDeleted', data: { webhookId: 'wh_1' } }).then();
    when({ type: 'OfAnotherProgram', data: {} }).then();
  });
});

describe('a task that it does not know', () => {
  it('is an error, not silently done', async () => {
    const task = { name: 'unknown' } as Parameters<typeof process.perform>[0];
    await expect(process.perform(task)).rejects.toThrow(
      'The process manager "webhooks" has no task "unknown"',
    );
  });
});
