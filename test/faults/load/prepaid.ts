import type { Repetition } from './client.ts';
import type { Answer } from './journal.ts';
import type { Random } from './random.ts';
import { codeOf, dayOf, DAYS_BEFORE_USAGE, expectStatus, repetitions, type Extent } from './sending.ts';
import {
  BILLED_CREDITS,
  BLOCKING_CREDITS,
  LIMIT,
  LIMITED_EVENT_NAME,
  TOP_UP,
  type Credits,
  type Workspace,
} from './workspace.ts';

/** Whose credits they are, and when. */
export interface Prepayer {
  customerId: string;
  month: number;
  /** Whether charges of the card succeed sooner or later. */
  canPay: boolean;
}

const EVENTS = [1, 6] as const;
const UNITS = [1, 20] as const;
const FIRST_CREDITS = 60;
/** Usage that by itself takes the first credits to the threshold. */
const TOP_UP_UNITS = (FIRST_CREDITS - TOP_UP.threshold) / BLOCKING_CREDITS.creditsPerUnit;
/** A card that is declined once on each invoice is charged at the second attempt. */
const PAYMENTS = 2;
/** What a payment and a void of the same invoice at once may be refused with. */
const LOST_RACE = ['invoice_void', 'invoice_already_paid', 'payment_in_progress', 'payment_declined'];
const SETTLED = ['invoice_void', 'invoice_already_paid'];

/** A customer gets credits for a month or for good, and sometimes one of them is taken back. */
export async function prepay(
  { client, name }: Workspace,
  { type }: Credits,
  { customerId, month }: Prepayer,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  const wallet = walletOf(customerId, type);
  const key = `${name}/${type}-${customerId}-${month}`;
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
    await expectStatus(200, client.post(`${wallet}/void`, { amount: 1 }, `${key}-void`, again()), [
      'insufficient_credits',
    ]);
}

/** Sends usage of one kind in several requests at once, so that they draw from the same credits or count for the same limit. */
export async function spend(
  { client, name }: Workspace,
  eventName: string,
  { customerId, month }: Prepayer,
  requests: number,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  await Promise.all(
    Array.from({ length: requests }, (_, request) => {
      const key = `${name}/${eventName}-${customerId}-${month}-${request}`;
      const events = Array.from({ length: random.chance(0.5) ? 1 : random.int(...EVENTS) }, (_, index) => ({
        customerId,
        eventName,
        idempotencyKey: `${key}-${index}`,
        timestamp: dayOf(month, random.int(0, DAYS_BEFORE_USAGE - 1)),
        properties: { units: random.int(...UNITS) },
      }));
      const header = random.chance(0.5) ? key : undefined;
      return expectStatus(200, client.post('/v1/events', events, header, again()));
    }),
  );
}

/** Buys credits. What the card does not pay at once is paid later, or voided, or both at once. */
export async function buy(
  workspace: Workspace,
  { type }: Credits,
  { customerId, month, canPay }: Prepayer,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const { client, name } = workspace;
  const key = `${name}/purchase-${type}-${customerId}-${month}`;
  const again = repetitions(random, repeated);
  const order = { credits: random.int(10, 60), collection: random.pick(['charge', 'send_invoice'] as const) };
  const ways = canPay ? (['pay', 'void', 'void block', 'both'] as const) : (['void', 'void block'] as const);
  const way = random.pick(ways);
  const purchase = await placeOrder(workspace, customerId, type, order, key, again());
  if (purchase.status !== 'pending_payment') return;
  const invoice = `/v1/invoices/${purchase.invoice.id}`;
  const repetition = again();
  const voidIt = (who: string) => client.post(`${invoice}/void`, {}, `${key}-void-${who}`, repetition);
  switch (way) {
    case 'pay':
      return pay(workspace, invoice, key);
    case 'void':
      await expectStatus(200, voidIt('one'));
      return;
    case 'void block':
      return voidBlock(workspace, customerId, type, purchase.id, key);
    case 'both': {
      const attempts = [client.post(`${invoice}/pay`, {}, `${key}-pay-race`, again()), voidIt('race')];
      const settled = await Promise.all(attempts.map((sent) => expectStatus(200, sent, LOST_RACE)));
      const done = settled.filter(({ status }) => status === 200).length;
      if (done > 1) throw new Error(`${invoice} was paid and voided at once`);
      // Both are refused if the void came while a card was charged that declines. A repetition of either may have settled it since.
      if (done === 0) await expectStatus(200, voidIt('after'), SETTLED);
    }
  }
}

interface Purchase {
  id: string;
  status: string;
  invoice: { id: string };
}

async function placeOrder(
  { client }: Workspace,
  customerId: string,
  type: string,
  order: { credits: number; collection: 'charge' | 'send_invoice' },
  key: string,
  repetition: Repetition,
): Promise<Purchase> {
  const path = `${walletOf(customerId, type)}/purchases`;
  return (await expectStatus(201, client.post(path, order, key, repetition))).body as Purchase;
}

async function pay({ client }: Workspace, invoice: string, key: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const declined = attempt < PAYMENTS ? ['payment_declined'] : [];
    const answer: Answer = await expectStatus(
      200,
      client.post(`${invoice}/pay`, {}, `${key}-pay-${attempt}`),
      declined,
    );
    if (codeOf(answer) === undefined) return;
  }
}

async function voidBlock(
  { client }: Workspace,
  customerId: string,
  type: string,
  blockId: string,
  key: string,
): Promise<void> {
  await expectStatus(
    200,
    client.post(`${walletOf(customerId, type)}/blocks/${blockId}/void`, {}, `${key}-void-block`),
  );
}

/** The id of the customer whose wallet buys by itself. */
export const nameOfToppedUp = ({ name }: Pick<Workspace, 'name'>): string => `${name}-top-up`;

/** A customer comes whose wallet buys by itself. */
export async function beginTopUp({ client, name }: Workspace): Promise<string> {
  const id = nameOfToppedUp({ name });
  await expectStatus(201, client.post('/v1/customers', { id, name: id }, `${id}/customer`));
  const card = { type: 'test', test: 'pm_card_visa' };
  await expectStatus(201, client.post(`/v1/customers/${id}/payment-methods`, card, `${id}/card`));
  const wallet = walletOf(id, BLOCKING_CREDITS.type);
  await expectStatus(201, client.post(`${wallet}/grants`, { amount: FIRST_CREDITS }, `${id}/grant`));
  await expectStatus(200, client.put(`${wallet}/auto-top-up`, TOP_UP));
  return id;
}

/** Of two events at once, the limit has room for one. */
async function reachLimit({ client, name }: Workspace, customerId: string, month: number): Promise<void> {
  const use = (which: string, share: number): Promise<Answer> => {
    const idempotencyKey = `${name}/limit-${customerId}-${month}-${which}`;
    const event = { customerId, eventName: LIMITED_EVENT_NAME, timestamp: dayOf(month, 0), idempotencyKey };
    return expectStatus(200, client.post('/v1/events', { ...event, properties: { units: LIMIT * share } }));
  };
  await use('most', 0.6);
  await Promise.all([use('one', 0.3), use('other', 0.3)]);
}

/**
 * Usage makes a wallet buy by itself. Meanwhile another wallet of the customer buys credits, once paid and once not, and usage reaches
 * the limit.
 */
export async function topUp(
  workspace: Workspace,
  customerId: string,
  month: number,
  random: Random,
  extent: Extent,
): Promise<void> {
  const { client, name } = workspace;
  const again = repetitions(random, extent.repeated);
  const { type } = BILLED_CREDITS;
  const order = (collection: 'charge' | 'send_invoice') => {
    const key = `${name}/${collection}-${customerId}-${month}`;
    return placeOrder(workspace, customerId, type, { credits: 10, collection }, key, again());
  };
  const { eventName } = BLOCKING_CREDITS;
  const idempotencyKey = `${name}/top-up-${customerId}-${month}`;
  const event = { customerId, eventName, timestamp: dayOf(month, 0), idempotencyKey };
  await Promise.all([
    expectStatus(200, client.post('/v1/events', { ...event, properties: { units: TOP_UP_UNITS } })),
    spend(workspace, eventName, { customerId, month, canPay: true }, 6, random, extent),
    reachLimit(workspace, customerId, month),
    order('charge'),
    order('send_invoice').then(({ id }) =>
      voidBlock(workspace, customerId, type, id, `${name}/${customerId}-${month}`),
    ),
  ]);
}

const walletOf = (customerId: string, type: string): string => `/v1/customers/${customerId}/wallets/${type}`;
