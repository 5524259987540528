import { setTimeout as pause } from 'node:timers/promises';
import type { JournalingClient, Repetition } from './client.ts';
import { beginTopUp, buy, prepay, spend, topUp } from './prepaid.ts';
import type { Random } from './random.ts';
import { addSeats, beginTeam, freeSeats } from './seats.ts';
import { payByTransfer } from './transfers.ts';
import { dayOf, DAYS_BEFORE_USAGE, expectStatus, repetitions, type Extent } from './sending.ts';
import {
  BILLED_CREDITS,
  BLOCKING_CREDITS,
  EVENT_NAME,
  LIMITED_EVENT_NAME,
  type Credits,
  type Workspace,
} from './workspace.ts';

/** The test cards of the newcomers. What comes of each is settled by the card, so that the checks can expect it. */
const CARDS = [
  { test: 'pm_card_visa' },
  { test: 'pm_card_visa' },
  { test: 'pm_card_declineThenSucceed', declines: 1 },
  { test: 'pm_card_chargeDeclined' },
] as const;

const BATCH = [2, 12] as const;
/** Requests with usage that draws credits, and with usage under a limit, a month for each subscriber. */
const DRAWS = [2, 4] as const;
const EXPORTS = [1, 3] as const;
/** The share of wallets that buy credits in a month. */
const PURCHASED = 0.4;
/** The share of the invoices of a card that always declines that a transfer pays. */
const TRANSFERRED = 0.5;
/** How long the read models may take to show what a month's end has made. */
const CATCH_UP_MILLIS = 120_000;

/** Whose names decide their card, so that each workspace has a charge and a transfer to plant a defect in. */
const PAYS = '0-0';
const TRANSFERS = '0-transfers';

interface Subscriber {
  customerId: string;
  card: (typeof CARDS)[number];
  /** Whether each of its invoices is paid by transfer. */
  transfers: boolean;
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
  const [team, toppedUp] = await Promise.all([beginTeam(workspace), beginTopUp(workspace)]);
  for (let month = 0; month === 0 || !isOver(); month++) {
    const chance = random.of(`month ${month}`);
    const count = chance.int(...extent.newcomers);
    const names = Array.from({ length: count }, (_, index) => `${month}-${index}`);
    if (month === 0) names.push(TRANSFERS);
    const joined = names.map((which) => join(workspace, which, chance.of(`newcomer ${which}`), extent));
    const freed = month === 0 ? undefined : freeSeats(workspace, team, chance.of('freed seats'), extent);
    const [newcomers] = await Promise.all([Promise.all(joined), freed]);
    for (const customer of newcomers) subscribers.push({ ...customer, since: month });
    await advance(workspace, `${month}-middle`, dayOf(month, DAYS_BEFORE_USAGE));
    await Promise.all([
      ...subscribers.flatMap((subscriber) => [
        use(workspace, subscriber.customerId, month, chance.of(`usage of ${subscriber.customerId}`), extent),
        usePrepaid(workspace, subscriber, month, chance.of(`credits of ${subscriber.customerId}`), extent),
      ]),
      addSeats(workspace, team, month, chance.of('seats'), extent),
      topUp(workspace, toppedUp, month, chance.of('top-ups'), extent),
    ]);
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
  const transfers = which === TRANSFERS;
  const card = which === PAYS ? CARDS[0] : transfers ? CARDS[3] : random.pick(CARDS);
  if (!subscribes) return { customerId, card, transfers };
  const methods = `/v1/customers/${customerId}/payment-methods`;
  await expectStatus(201, client.post(methods, { type: 'test', ...card }, `${name}/card-${which}`, again()));
  await expectStatus(
    201,
    client.post('/v1/subscriptions', { customerId, planId }, `${name}/subscription-${which}`, again()),
  );
  return { customerId, card, transfers };
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

/** What a customer has paid for in advance, and what it may use without paying: credits, purchases and limits. */
async function usePrepaid(
  workspace: Workspace,
  { customerId, card }: Subscriber,
  month: number,
  random: Random,
  extent: Extent,
): Promise<void> {
  const prepayer = { customerId, month, canPay: card.test !== 'pm_card_chargeDeclined' };
  const draw = ({ type, eventName }: Credits, requests: number) =>
    spend(workspace, eventName, prepayer, requests, random.of(`usage of ${type}`), extent);
  const acquire = async (credits: Credits, grants: boolean) => {
    const chance = random.of(`credits ${credits.type}`);
    if (grants) await prepay(workspace, credits, prepayer, chance, extent);
    if (chance.chance(PURCHASED)) await buy(workspace, credits, prepayer, chance, extent);
  };
  const exported = random.int(...EXPORTS);
  await Promise.all([
    acquire(BLOCKING_CREDITS, true),
    acquire(BILLED_CREDITS, random.chance(0.5)),
    draw(BLOCKING_CREDITS, random.int(...DRAWS)),
    draw(BILLED_CREDITS, random.int(...DRAWS)),
    spend(workspace, LIMITED_EVENT_NAME, prepayer, exported, random.of('limited usage'), extent),
  ]);
}

async function advance({ client, name }: Workspace, which: string, to: string): Promise<void> {
  await expectStatus(200, client.post('/v1/sandbox/clock/advance', { to }, `${name}/advance-${which}`));
}

async function bill({ client, name }: Workspace, which: string): Promise<void> {
  await expectStatus(200, client.post('/v1/billing/run', {}, `${name}/billing-run-${which}`));
}

/**
 * What was declined is paid by two at once, or by transfer, or is voided, as the customer's card has it. By then the retries have paid what
 * a card declines once at first, and have failed for a card that declines always.
 */
async function settlePayments(
  workspace: Workspace,
  month: number,
  subscribers: readonly Subscriber[],
  random: Random,
  extent: Extent,
): Promise<void> {
  const { client, name } = workspace;
  const again = repetitions(random, extent.repeated);
  const byId = new Map(subscribers.map((subscriber) => [subscriber.customerId, subscriber]));
  const declined = subscribers.filter(({ card }) => card.test !== 'pm_card_visa');
  // Who came this month was billed at the start and at the end of it; the others' starts are settled.
  const newly = declined.filter(
    ({ since, card }) => since === month && card.test === 'pm_card_chargeDeclined',
  );
  const open = await openInvoices(client, declined.length + newly.length);
  await Promise.all(
    open.map(async ({ id, customerId, amountDue }) => {
      const subscriber = byId.get(customerId);
      if (subscriber?.card.test === 'pm_card_chargeDeclined') {
        const chance = random.of(`transfers of ${id}`);
        if (subscriber.transfers || chance.chance(TRANSFERRED)) {
          await payByTransfer(workspace, { id, amountDue }, chance, extent);
          return;
        }
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

interface Owed {
  id: string;
  customerId: string;
  amountDue: number;
}

/** The open invoices of subscriptions, once there are as many as must be. */
async function openInvoices(client: JournalingClient, expected: number): Promise<Owed[]> {
  const deadline = performance.now() + CATCH_UP_MILLIS;
  for (;;) {
    const open = await client.get<{ data: (Owed & { kind: string })[] }>(
      '/v1/invoices?status=open&limit=100',
    );
    const data = open.data.filter(({ kind }) => kind !== 'credit_purchase');
    // With fewer than there must be, the checks say what is missing.
    if (data.length >= expected || performance.now() > deadline) return data;
    await pause(100);
  }
}
