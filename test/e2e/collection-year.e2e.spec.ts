import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verificationOf } from '../support/ledger-verification.js';
import { Receiver } from '../support/receiver.js';
import {
  advanceClock,
  createPlan,
  fee,
  freezeClock,
  requestsOf,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';

/*
 * What happens between the opening of an invoice and its payment, in a year of five customers. Each charge, mail, status and webhook was
 * predicted by hand with its time, by docs/payment-retries.md, docs/dunning.md, docs/mail.md, docs/payments.md and docs/webhooks.md. Nothing
 * else may happen. All times are of 2026, in UTC, by the sandbox's clock.
 *
 * Each customer pays 90.00 for a quarter, in advance: on 1 January, 1 April, 1 July and 1 October at 09:00. Invoices are due after 14 days, on
 * the 15th at 09:00, so `due_soon` is told on the 12th and `overdue` on the 15th. Three days before a quarter, on 29 March, 28 June, 28 September
 * and 29 December, the invoice to come is told.
 *
 * good      has a card that pays.
 * twice     has a card that declines the first two charges of each invoice. It is retried 1 day later, and 3 days after that.
 * stolen    has a stolen card. It is not charged again. On 20 January at noon the customer gives another card.
 * transfer  has no card, and pays by transfer in two parts.
 * never     has a card that always declines. The retries are on 2, 5, 10 and 17 January. The steps of dunning count from the last one.
 */

/** After 3 and 7 days a reminder; after 14 days the subscription is paused, and after 30 days it is canceled. */
const STEPS = [
  { afterDays: 3, template: 'friendly_reminder' },
  { afterDays: 7, template: 'reminder' },
  { afterDays: 14, template: 'final_notice', subscription: 'pause' },
  { afterDays: 30, template: 'final_notice', subscription: 'cancel' },
];

/*
 * The year of each customer: when | charges | mail | webhooks. `#1` is the customer's first invoice, with what is due of it then. A charge
 * has the number of the retry, if it is one. At one instant the order is that of the alphabet.
 */
const YEAR: Record<string, string> = {
  good: `
    01-01 09:00 | #1 succeeded | receipt | customer.created, customer.updated, invoice.created #1 90, invoice.paid #1 0, subscription.created
    03-29 09:00 |              |         | invoice.upcoming 90
    04-01 09:00 | #2 succeeded | receipt | invoice.created #2 90, invoice.paid #2 0
    06-28 09:00 |              |         | invoice.upcoming 90
    07-01 09:00 | #3 succeeded | receipt | invoice.created #3 90, invoice.paid #3 0
    09-28 09:00 |              |         | invoice.upcoming 90
    10-01 09:00 | #4 succeeded | receipt | invoice.created #4 90, invoice.paid #4 0
    12-29 09:00 |              |         | invoice.upcoming 90`,
  // The retries are on the 2nd and the 5th.
  twice: `
    01-01 09:00 | #1 card_declined         | payment_failed | customer.created, customer.updated, invoice.created #1 90, invoice.payment_failed #1 90 until 01-02 09:00, subscription.created, subscription.past_due
    01-02 09:00 | #1 retry 1 card_declined | payment_failed | invoice.payment_failed #1 90 until 01-05 09:00
    01-05 09:00 | #1 retry 2 succeeded     | receipt        | invoice.paid #1 0, invoice.payment_recovered #1 0
    03-29 09:00 |                          |                | invoice.upcoming 90
    04-01 09:00 | #2 card_declined         | payment_failed | invoice.created #2 90, invoice.payment_failed #2 90 until 04-02 09:00, subscription.past_due
    04-02 09:00 | #2 retry 1 card_declined | payment_failed | invoice.payment_failed #2 90 until 04-05 09:00
    04-05 09:00 | #2 retry 2 succeeded     | receipt        | invoice.paid #2 0, invoice.payment_recovered #2 0
    06-28 09:00 |                          |                | invoice.upcoming 90
    07-01 09:00 | #3 card_declined         | payment_failed | invoice.created #3 90, invoice.payment_failed #3 90 until 07-02 09:00, subscription.past_due
    07-02 09:00 | #3 retry 1 card_declined | payment_failed | invoice.payment_failed #3 90 until 07-05 09:00
    07-05 09:00 | #3 retry 2 succeeded     | receipt        | invoice.paid #3 0, invoice.payment_recovered #3 0
    09-28 09:00 |                          |                | invoice.upcoming 90
    10-01 09:00 | #4 card_declined         | payment_failed | invoice.created #4 90, invoice.payment_failed #4 90 until 10-02 09:00, subscription.past_due
    10-02 09:00 | #4 retry 1 card_declined | payment_failed | invoice.payment_failed #4 90 until 10-05 09:00
    10-05 09:00 | #4 retry 2 succeeded     | receipt        | invoice.paid #4 0, invoice.payment_recovered #4 0
    12-29 09:00 |                          |                | invoice.upcoming 90`,
  // No retry is planned, so the reminders count from the due date: 15 January and 3 days. An hour after the due date the process starts. On
  // 17 January, 1 + 3 + 5 + 7 days after the decline, the time for another card is over. The settings leave the invoice open, so nothing is told.
  stolen: `
    01-01 09:00 | #1 stolen_card | payment_failed            | customer.created, customer.updated, invoice.created #1 90, invoice.payment_failed #1 90 ended final_decline, subscription.created, subscription.past_due
    01-12 09:00 |                |                           | invoice.due_soon #1 90
    01-15 09:00 |                |                           | invoice.overdue #1 90
    01-15 10:00 |                |                           | dunning.started
    01-18 09:00 |                | dunning_friendly_reminder | dunning.step_taken 1 90
    01-20 12:00 | #1 succeeded   | receipt                   | customer.updated, customer.updated, dunning.ended settled, invoice.paid #1 0, invoice.payment_recovered #1 0
    03-29 09:00 |                |                           | invoice.upcoming 90
    04-01 09:00 | #2 succeeded   | receipt                   | invoice.created #2 90, invoice.paid #2 0
    06-28 09:00 |                |                           | invoice.upcoming 90
    07-01 09:00 | #3 succeeded   | receipt                   | invoice.created #3 90, invoice.paid #3 0
    09-28 09:00 |                |                           | invoice.upcoming 90
    10-01 09:00 | #4 succeeded   | receipt                   | invoice.created #4 90, invoice.paid #4 0
    12-29 09:00 |                |                           | invoice.upcoming 90`,
  // 40.00 and 50.00 for the first quarter: the second part comes after the first reminder. The other quarters are paid in time, the third one
  // after it was told that it is due soon.
  transfer: `
    01-01 09:00 | | invoice                   | customer.created, invoice.created #1 90, subscription.created
    01-10 12:00 | | receipt                   | invoice.payment_recorded #1 50
    01-12 09:00 | |                           | invoice.due_soon #1 50
    01-15 09:00 | |                           | invoice.overdue #1 50
    01-15 10:00 | |                           | dunning.started
    01-18 09:00 | | dunning_friendly_reminder | dunning.step_taken 1 50
    01-20 12:00 | | receipt                   | dunning.ended settled, invoice.paid #1 0, invoice.payment_recorded #1 0
    03-29 09:00 | |                           | invoice.upcoming 90
    04-01 09:00 | | invoice                   | invoice.created #2 90
    04-03 12:00 | | receipt                   | invoice.payment_recorded #2 60
    04-10 12:00 | | receipt                   | invoice.paid #2 0, invoice.payment_recorded #2 0
    06-28 09:00 | |                           | invoice.upcoming 90
    07-01 09:00 | | invoice                   | invoice.created #3 90
    07-10 12:00 | | receipt                   | invoice.payment_recorded #3 45
    07-12 09:00 | |                           | invoice.due_soon #3 45
    07-14 12:00 | | receipt                   | invoice.paid #3 0, invoice.payment_recorded #3 0
    09-28 09:00 | |                           | invoice.upcoming 90
    10-01 09:00 | | invoice                   | invoice.created #4 90
    10-05 12:00 | | receipt                   | invoice.payment_recorded #4 10
    10-05 13:00 | | receipt                   | invoice.paid #4 0, invoice.payment_recorded #4 0
    12-29 09:00 | |                           | invoice.upcoming 90`,
  // Retries after 1, 3, 5 and 7 days. The steps count from the last one, 17 January, since the due date is earlier: 20, 24 and 31 January and
  // 16 February. At the pause 30 of 90 days are used, so 60.00 are given back: 30.00 stay due. The invoice that gives it back (#2) is over 0.00.
  // A paused subscription has no quarter, so its end gives nothing back. On 2 March the rest is written off by hand.
  never: `
    01-01 09:00 | #1 card_declined         | payment_failed            | customer.created, customer.updated, invoice.created #1 90, invoice.payment_failed #1 90 until 01-02 09:00, subscription.created, subscription.past_due
    01-02 09:00 | #1 retry 1 card_declined | payment_failed            | invoice.payment_failed #1 90 until 01-05 09:00
    01-05 09:00 | #1 retry 2 card_declined | payment_failed            | invoice.payment_failed #1 90 until 01-10 09:00
    01-10 09:00 | #1 retry 3 card_declined | payment_failed            | invoice.payment_failed #1 90 until 01-17 09:00
    01-12 09:00 |                          |                           | invoice.due_soon #1 90
    01-15 09:00 |                          |                           | invoice.overdue #1 90
    01-17 09:00 | #1 retry 4 card_declined | payment_failed            | dunning.started, invoice.payment_failed #1 90 ended exhausted
    01-20 09:00 |                          | dunning_friendly_reminder | dunning.step_taken 1 90
    01-24 09:00 |                          | dunning_reminder          | dunning.step_taken 2 90
    01-31 09:00 |                          | dunning_final_notice      | dunning.step_taken 3 90, invoice.created #2 0, invoice.paid #2 0, subscription.paused
    02-16 09:00 |                          | dunning_final_notice      | dunning.ended completed, dunning.step_taken 4 30, subscription.cancel
    03-02 12:00 |                          |                           | invoice.marked_uncollectible #1 30`,
};

/** The status of each customer's subscription, and those of its invoices, oldest first. */
type Statuses = Record<string, string>;

const open = 'past_due: open';
const quarters = (count: number, last = 'paid') => [...Array<string>(count - 1).fill('paid'), last].join(' ');

let system: System;
let workspace: TestWorkspace;
let receiver: Receiver;

beforeAll(async () => {
  [system, receiver] = await Promise.all([startSystem(), Receiver.start()]);
  workspace = await system.workspace();
});
afterAll(async () => {
  await system?.stop();
  await receiver?.close();
});

const { get, post, put, create, invoicesOf } = requestsOf(() => workspace);

it('a year of five customers is what was predicted, each charge, mail, status and webhook with its time', async () => {
  await freezeClock(workspace, timeOf('01-01 09:00'));
  await put('/v1/billing-settings', { timezone: 'UTC', netDays: 14 });
  await put('/v1/dunning/policies/default', { steps: STEPS });
  const endpoint = { url: receiver.url, events: ['*'] };
  const { body: webhook } = await workspace.session.post('/v1/webhooks', endpoint).expect(201);
  const planId = await createPlan(workspace, fee('Base', 90, { cadence: 'quarterly', timing: 'in_advance' }));
  const cards: Record<string, object> = {
    good: { test: 'pm_card_visa' },
    twice: { test: 'pm_card_declineThenSucceed', declines: 2 },
    stolen: { test: 'pm_card_chargeDeclinedStolenCard' },
    never: { test: 'pm_card_chargeDeclined' },
  };
  for (const id of Object.keys(YEAR)) {
    await create('/v1/customers', { id, name: id, email: `${id}@example.com` });
    if (cards[id]) await create(`/v1/customers/${id}/payment-methods`, { type: 'test', ...cards[id] });
    await create('/v1/subscriptions', { customerId: id, planId });
  }

  const goTo = (when: string) => advanceClock(workspace, timeOf(when));
  const statuses = async (): Promise<Statuses> => {
    const found: Statuses = {};
    for (const { customerId, status } of (await get('/v1/subscriptions')).data)
      found[customerId] = `${status}:`;
    for (const { customerId, status } of (await get('/v1/invoices?page_size=100')).data.toReversed())
      found[customerId] += ` ${status}`;
    return found;
  };
  const transfer = async (amount: number) => {
    const invoice = (await invoicesOf('transfer')).at(-1)!;
    await create(`/v1/invoices/${invoice.id}/payments`, { amount, method: 'bank_transfer' });
  };

  await goTo('01-01 10:00');
  const begun: Statuses = {
    good: 'active: paid',
    twice: open,
    stolen: open,
    transfer: 'active: open',
    never: open,
  };
  expect(await statuses()).toEqual(begun);
  await goTo('01-05 08:59');
  expect(await statuses()).toEqual(begun);
  await goTo('01-05 09:00');
  const recovered = { ...begun, twice: 'active: paid' };
  expect(await statuses()).toEqual(recovered);
  await goTo('01-10 12:00');
  await transfer(40);
  await goTo('01-20 12:00');
  expect(await statuses()).toEqual(recovered);
  await transfer(50);
  const card = await create('/v1/customers/stolen/payment-methods', { type: 'test', test: 'pm_card_visa' });
  await post(`/v1/customers/stolen/payment-methods/${card.id}/default`);
  await goTo('01-31 08:59');
  const paid: Statuses = { ...recovered, stolen: 'active: paid', transfer: 'active: paid' };
  expect(await statuses()).toEqual(paid);
  await goTo('01-31 09:00');
  const paused = { ...paid, never: 'paused: open paid' };
  expect(await statuses()).toEqual(paused);
  await goTo('02-16 08:59');
  expect(await statuses()).toEqual(paused);
  await goTo('02-16 09:00');
  expect(await statuses()).toEqual({ ...paid, never: 'canceled: open paid' });
  await goTo('03-02 12:00');
  await post(`/v1/invoices/${(await invoicesOf('never'))[0]!.id}/mark-uncollectible`);
  await goTo('04-03 12:00');
  const lost = 'canceled: uncollectible paid';
  const all = (status: string): Statuses => ({
    good: status,
    twice: status,
    stolen: status,
    transfer: status,
    never: lost,
  });
  expect(await statuses()).toEqual({
    ...all(`active: ${quarters(2)}`),
    twice: `past_due: ${quarters(2, 'open')}`,
    transfer: `active: ${quarters(2, 'open')}`,
  });
  await transfer(30);
  await goTo('04-10 12:00');
  await transfer(60);
  await goTo('07-10 12:00');
  await transfer(45);
  await goTo('07-14 12:00');
  await transfer(45);
  await goTo('10-05 12:00');
  await transfer(80);
  await goTo('10-05 13:00');
  await transfer(10);
  await goTo('12-31 00:00');
  expect(await statuses()).toEqual(all(`active: ${quarters(4)}`));

  // This is the last event. When it has arrived, all others have.
  await create('/v1/customers', { id: 'last', name: 'last' });
  const predicted = Object.values(YEAR).flatMap((year) =>
    rowsOf(year).flatMap(([, , , webhooks]) => webhooks),
  );
  await receiver.arrived(predicted.length + 1);
  const happened = await whatHappened();
  for (const [id, year] of Object.entries(YEAR))
    expect(linesOf(happened, id)).toEqual(rowsOf(year).map(lineOf));
  expect(happened.filter(({ customerId }) => !(customerId in YEAR))).toEqual([
    { customerId: 'last', when: '12-31 00:00', kind: 'webhook', what: 'customer.created' },
  ]);
  const path = `/v1/webhooks/${webhook.id}/deliveries?limit=200&status=delivered`;
  const { body: deliveries } = await workspace.session.get(path).expect(200);
  expect(deliveries.data).toHaveLength(predicted.length + 1);
  expect((await verificationOf(system)).found).toEqual([]);
}, 480_000);

interface Happening {
  customerId: string;
  when: string;
  kind: 'charge' | 'mail' | 'webhook';
  what: string;
}

/** Every charge and mail that the API lists, and every webhook that was received. */
async function whatHappened(): Promise<Happening[]> {
  const happened: Happening[] = [];
  const labels = new Map<string, string>();
  for (const customerId of Object.keys(YEAR))
    for (const [index, { id }] of (await invoicesOf(customerId)).entries()) {
      labels.set(id, `#${index + 1}`);
      for (const { createdAt, retry, status, failureCode } of (
        await get(`/v1/invoices/${id}/payment-attempts`)
      ).data)
        happened.push({
          ...({ customerId, when: whenOf(createdAt), kind: 'charge' } as const),
          what: [labels.get(id), ...(retry === null ? [] : ['retry', retry]), failureCode ?? status].join(
            ' ',
          ),
        });
    }
  const mails = await get('/v1/sandbox/emails?limit=100');
  expect(mails.hasMore).toBe(false);
  for (const { kind, to, writtenAt, customerId } of mails.data) {
    expect(to).toBe(`${customerId}@example.com`);
    happened.push({ customerId, when: whenOf(writtenAt), kind: 'mail', what: kind });
  }
  for (const { body } of receiver.received) {
    const { event, timestamp, data } = JSON.parse(body);
    const customerId = event.startsWith('customer.') ? data.id : data.customerId;
    const what = [event, ...detailsOf(event, data, labels)].join(' ');
    happened.push({ customerId, when: whenOf(timestamp), kind: 'webhook', what });
  }
  return happened;
}

/** The fields of a webhook's `data` that the table shows. */
interface Told {
  id: string;
  amountDue: number;
  nextAttemptAt?: string | null;
  retriesEnded?: string | null;
  step: number;
  steps: { amount: number | null }[];
  status: string;
}

/** What the table shows of a webhook beside its name. */
function detailsOf(event: string, data: Told, labels: ReadonlyMap<string, string>): unknown[] {
  if (event === 'invoice.upcoming') return [data.amountDue];
  if (event.startsWith('invoice.')) {
    const { id, amountDue, nextAttemptAt, retriesEnded } = data;
    const plan = nextAttemptAt
      ? ['until', whenOf(nextAttemptAt)]
      : retriesEnded
        ? ['ended', retriesEnded]
        : [];
    return [labels.get(id), amountDue, ...plan];
  }
  if (event === 'dunning.step_taken') return [data.step, data.steps[data.step - 1]!.amount];
  return event === 'dunning.ended' ? [data.status] : [];
}

type Row = readonly [when: string, charges: string[], mails: string[], webhooks: string[]];

function linesOf(happened: readonly Happening[], customerId: string): string[] {
  const own = happened.filter((one) => one.customerId === customerId);
  const times = [...new Set(own.map(({ when }) => when))].toSorted();
  return times.map((time) => {
    const of = (kind: Happening['kind']) =>
      own.filter((one) => one.when === time && one.kind === kind).map(({ what }) => what);
    return lineOf([time, of('charge'), of('mail'), of('webhook')]);
  });
}

function rowsOf(year: string): Row[] {
  return year
    .trim()
    .split('\n')
    .map((line) => {
      const [when, ...cells] = line.split('|').map((cell) => cell.trim());
      const [charges, mails, webhooks] = cells.map((cell) => cell.split(', ').filter((what) => what !== ''));
      return [when!, charges!, mails!, webhooks!];
    });
}

function lineOf([when, ...cells]: Row): string {
  return [when, ...cells.map((cell) => cell.toSorted().join(', '))].join(' | ');
}

function timeOf(when: string): string {
  return `2026-${when.replace(' ', 'T')}:00.000Z`;
}

/** The time as the table has it. Anything but a whole minute of 2026 is shown in full. */
function whenOf(at: string): string {
  const when = at.slice(5, 16).replace('T', ' ');
  return timeOf(when) === at ? when : at;
}
