import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './journal.ts';
import type { JournalingClient, Repetition } from './client.ts';
import type { Random } from './random.ts';
import { CREDIT_TYPE, EPOCH, EVENT_NAME, type Workspace } from './workspace.ts';

/** How much happens in a workspace in a month. */
export interface Extent {
  /** New customers a month, at least and at most. */
  newcomers: readonly [number, number];
  /** Requests with usage a month for each subscriber, at least and at most. */
  usage: readonly [number, number];
  /** The share of requests that are sent again though they were answered. */
  repeated: number;
}

/** The test cards of the newcomers. What comes of each is settled by the card, so that the checks can expect it. */
const CARDS = [
  { test: 'pm_card_visa' },
  { test: 'pm_card_visa' },
  { test: 'pm_card_declineThenSucceed', declines: 1 },
  { test: 'pm_card_chargeDeclined' },
] as const;

const DAYS_BEFORE_USAGE = 20;
const BATCH = [2, 12] as const;
/** How long the read models may take to show what a month's end has made. */
const CATCH_UP_MILLIS = 120_000;

interface Subscriber {
  customerId: string;
  card: (typeof CARDS)[number];
  /** The month in which it subscribed. */
  since: number;
}

/**
 * What happens in one workspace: each month customers come, subscribe and use; then the clock moves to the next month
 * while a billing run is asked for besides, and what was declined is paid or voided. Within a month everything goes on
 * at once; a month ends when everything in it was answered, so that it is known what its invoices must say. It goes on
 * until it is over at the end of a month.
 */
export async function liveThrough(
  workspace: Workspace,
  random: Random,
  extent: Extent,
  isOver: () => boolean,
): Promise<void> {
  const subscribers: Subscriber[] = [];
  for (let month = 0; month === 0 || !isOver(); month++) {
    const chance = random.of(`month ${month}`);
    const count = chance.int(...extent.newcomers);
    const joined = Array.from({ length: count }, (_, index) =>
      join(workspace, `${month}-${index}`, chance.of(`newcomer ${index}`), extent),
    );
    for (const customer of await Promise.all(joined)) subscribers.push({ ...customer, since: month });
    await advance(workspace, `${month}-middle`, dayOf(month, DAYS_BEFORE_USAGE));
    await Promise.all(
      subscribers.flatMap(({ customerId }) => [
        use(workspace, customerId, month, chance.of(`usage of ${customerId}`), extent),
        prepay(workspace, customerId, month, chance.of(`credits of ${customerId}`), extent),
      ]),
    );
    await Promise.all([
      advance(workspace, `${month}-end`, dayOf(month + 1, 0)),
      bill(workspace, `${month}`),
      join(workspace, `${month}-stranger`, chance.of('stranger'), extent, false),
    ]);
    await settlePayments(workspace, month, subscribers, chance.of('payments'), extent);
  }
}

/** A customer comes, under an id of its own choice or not, puts a card on file, and subscribes. */
async function join(
  { client, name, planId }: Workspace,
  which: string,
  random: Random,
  { repeated }: Extent,
  subscribes = true,
): Promise<Omit<Subscriber, 'since'>> {
  const again = repetitions(random, repeated);
  const chosen = random.chance(0.5) ? { id: `${name}-${which}` } : {};
  const customer = await expectStatus(
    201,
    client.post('/v1/customers', { ...chosen, name: which }, `${name}/customer-${which}`, again()),
  );
  const customerId = (customer.body as { id: string }).id;
  // The first of all pays, so that there is a payment in every workspace to plant a defect in.
  const card = which === '0-0' ? CARDS[0] : random.pick(CARDS);
  if (!subscribes) return { customerId, card };
  const methods = `/v1/customers/${customerId}/payment-methods`;
  await expectStatus(201, client.post(methods, { type: 'test', ...card }, `${name}/card-${which}`, again()));
  await expectStatus(
    201,
    client.post('/v1/subscriptions', { customerId, planId }, `${name}/subscription-${which}`, again()),
  );
  return { customerId, card };
}

/** Usage of one customer in one month, alone and in batches, some of it sent in more than one request. */
async function use(
  { client, name }: Workspace,
  customerId: string,
  month: number,
  random: Random,
  { usage, repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  let earlier: object | undefined;
  const requests = random.int(...usage);
  for (let request = 0; request < requests; request++) {
    const size = random.chance(0.5) ? 1 : random.int(...BATCH);
    const events: object[] = Array.from({ length: size }, (_, index) => ({
      customerId,
      eventName: EVENT_NAME,
      timestamp: dayOf(month, random.int(0, DAYS_BEFORE_USAGE - 1)),
      idempotencyKey: `${name}/${customerId}/${month}-${request}-${index}`,
      properties: { units: random.int(1, 40) },
    }));
    // An event that was counted already, among others that were not: a client that does not know what got through.
    if (earlier && random.chance(repeated)) events.push(earlier);
    earlier = events[0];
    const body = events.length === 1 ? events[0]! : events;
    const key = random.chance(0.3) ? `${name}/usage-${customerId}-${month}-${request}` : undefined;
    await expectStatus(200, client.post('/v1/events', body, key, again()));
  }
}

/** A customer gets credits for a month or for good, and sometimes one of them is taken back. */
async function prepay(
  { client, name }: Workspace,
  customerId: string,
  month: number,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  const wallet = `/v1/customers/${customerId}/wallets/${CREDIT_TYPE}`;
  const key = `${name}/credits-${customerId}-${month}`;
  const grant = {
    amount: random.int(5, 50),
    ...(random.chance(0.5) ? { expiresAt: dayOf(month + 1, 3) } : {}),
  };
  // The key is known for ever in the body, and for a while in the header. Both must hold.
  await expectStatus(
    201,
    random.chance(0.5)
      ? client.post(`${wallet}/grants`, { ...grant, idempotencyKey: key }, undefined, again())
      : client.post(`${wallet}/grants`, grant, key, again()),
  );
  if (random.chance(0.5))
    await expectStatus(200, client.post(`${wallet}/void`, { amount: 1 }, `${key}-void`, again()));
}

async function advance({ client, name }: Workspace, which: string, to: string): Promise<void> {
  await expectStatus(200, client.post('/v1/sandbox/clock/advance', { to }, `${name}/advance-${which}`));
}

async function bill({ client, name }: Workspace, which: string): Promise<void> {
  await expectStatus(200, client.post('/v1/billing/run', {}, `${name}/billing-run-${which}`));
}

/** What was declined is paid, by two at once, or voided, as the customer's card has it. */
async function settlePayments(
  { client, name }: Workspace,
  month: number,
  subscribers: readonly Subscriber[],
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  const cards = new Map(subscribers.map(({ customerId, card }) => [customerId, card.test]));
  const declined = subscribers.filter(({ card }) => card.test !== 'pm_card_visa');
  // Who came this month was billed at the start and at the end of it; the others' starts are settled.
  const newly = declined.filter(({ since }) => since === month);
  const open = await openInvoices(client, declined.length + newly.length);
  await Promise.all(
    open.map(async ({ id, customerId }) => {
      if (cards.get(customerId) === 'pm_card_chargeDeclined') {
        const path = `/v1/invoices/${id}/void`;
        await expectStatus(200, client.post(path, { reason: 'declined' }, `${name}/void-${id}`, again()));
        return;
      }
      const pay = (who: string, repetition: Repetition) =>
        client.post(`/v1/invoices/${id}/pay`, {}, `${name}/pay-${id}-${who}`, repetition);
      const answers = await Promise.all([pay('one', again()), pay('other', undefined)]);
      const codes = answers.map(({ body }) => (body as { code?: string }).code ?? 'paid').sort();
      if (!PAID_ONCE.has(codes.join()))
        throw new Error(`Two payments of ${id} at once came to ${codes.join(' and ')}`);
    }),
  );
}

/** What two payments at once may come to: never to two charges, and never to none. */
const PAID_ONCE = new Set(['invoice_already_paid,paid', 'paid,payment_in_progress']);

/** The open invoices, once there are as many as must be. */
async function openInvoices(
  client: JournalingClient,
  expected: number,
): Promise<{ id: string; customerId: string }[]> {
  const deadline = performance.now() + CATCH_UP_MILLIS;
  for (;;) {
    const { data } = await client.get<{ data: { id: string; customerId: string }[] }>(
      '/v1/invoices?status=open&limit=100',
    );
    // With fewer than there must be, the checks say what is missing.
    if (data.length >= expected || performance.now() > deadline) return data;
    await pause(100);
  }
}

/** Whether and how the next request is repeated. */
function repetitions(random: Random, share: number): () => Repetition {
  return () => (random.chance(share) ? random.pick(['together', 'afterwards'] as const) : undefined);
}

function dayOf(month: number, day: number): string {
  const date = new Date(EPOCH);
  date.setUTCMonth(date.getUTCMonth() + month);
  date.setUTCDate(date.getUTCDate() + day);
  return date.toISOString();
}

async function expectStatus(expected: number, sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent;
  if (answer.status !== expected)
    throw new Error(`Expected ${expected}, got ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
