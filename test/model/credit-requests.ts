import type { Decimal } from 'decimal.js';
import { DAY, iso, type Moment } from './calendar.ts';
import { CREDIT_TYPES } from './credits.ts';
import type { Model } from './model.ts';
import type { SeenBlock } from './observed.ts';
import type { CreditOperation } from './operations.ts';
import { DEFAULT_PRIORITY, type Block, type Wallet } from './wallet.ts';

/** Ends of credits are no ends of periods: at one instant, the product may do either first. */
const BESIDE = 777_000;

/** A request about credits, and what the model says of it. */
export interface CreditRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body: object;
  /** The code of the refusal; null: it is accepted. */
  readonly refusal: string | null;
  /** What it changes in the model. Answers what of the answer is wrong, if anything. */
  readonly accept: (answer: unknown) => string | undefined;
  /** The invoice on which it makes a credit note, and over how much before taxes. */
  readonly credits?: { readonly invoiceId: string; readonly amount: Decimal };
}

/** The request of an operation; undefined: there is nothing to do it to. */
export function creditRequest(
  operation: CreditOperation,
  model: Model,
  customerId: string,
): CreditRequest | undefined {
  const { type: name } = operation;
  const wallet = model.credits.of(operation.credits);
  const path = `/v1/customers/${customerId}/wallets/${operation.credits}`;
  const { now } = model;
  switch (name) {
    case 'grant': {
      const { amount, priority, startsAfterDays, lastsDays } = operation;
      const from = now + startsAfterDays * DAY;
      const until = endOf(from, lastsDays);
      const body = {
        amount,
        ...(priority === DEFAULT_PRIORITY ? {} : { priority }),
        ...(startsAfterDays === 0 ? {} : { effectiveAt: iso(from) }),
        ...(until === 'default' ? {} : { expiresAt: until === null ? null : iso(until) }),
      };
      const accept = (answer: unknown): undefined => {
        const { id } = answer as SeenBlock;
        wallet.grant({
          id,
          amount,
          priority,
          from,
          until: until === 'default' ? wallet.endOf(from) : until,
        });
      };
      return { method: 'POST', path: `${path}/grants`, body, refusal: null, accept };
    }
    case 'spend':
      return spending(operation, model, customerId);
    case 'voidCredits': {
      const { amount } = operation;
      const refusal = amount > wallet.balanceAt(now) ? 'insufficient_credits' : null;
      const accept = (): undefined => wallet.take(amount, now) as undefined;
      return { method: 'POST', path: `${path}/void`, body: { amount }, refusal, accept };
    }
    case 'voidBlock': {
      const { creditNote } = operation;
      const block = blockOf(wallet, operation.block);
      if (!block?.id) return undefined;
      const refusal = creditNote && block.bought === null ? 'validation_failed' : null;
      const { bought, left, amount } = block;
      const invoiceId = bought?.charge.invoiceId;
      const accept = (): undefined => wallet.end(block) as undefined;
      return {
        method: 'POST',
        path: `${path}/blocks/${block.id}/void`,
        body: { creditNote },
        refusal,
        accept,
        ...(creditNote && bought && invoiceId
          ? { credits: { invoiceId, amount: bought.cost.times(left).div(amount).toDecimalPlaces(2) } }
          : {}),
      };
    }
    case 'purchase': {
      const { amount, collection, lastsDays } = operation;
      const byCard = collection === 'charge';
      const until = endOf(now, lastsDays);
      const body = {
        credits: amount,
        collection,
        ...(until === 'default' ? {} : { expiresAt: until === null ? null : iso(until) }),
      };
      const refusal = byCard && !model.hasCard ? 'no_payment_method' : null;
      const accept = (): undefined => wallet.buy(amount, byCard, until, now) as undefined;
      return { method: 'POST', path: `${path}/purchases`, body, refusal, accept };
    }
    case 'payPurchase': {
      const payable = [wallet, ...model.credits.wallets.values()].find(({ unpaid }) => unpaid.length > 0);
      const purchase = payable?.unpaid.at(-1);
      if (!payable || !purchase?.charge.invoiceId) return undefined;
      const refusal = model.hasCard ? null : 'no_payment_method';
      const accept = (): undefined => payable.pay(purchase, now) as undefined;
      const { invoiceId } = purchase.charge;
      return { method: 'POST', path: `/v1/invoices/${invoiceId}/pay`, body: {}, refusal, accept };
    }
    case 'topUp': {
      const { threshold, amount, maxPerMonth } = operation;
      const body = { threshold, credits: amount, maxPerMonth };
      const accept = (): undefined => wallet.setTopUp(body) as undefined;
      return { method: 'PUT', path: `${path}/auto-top-up`, body, refusal: null, accept };
    }
    case 'removeTopUp': {
      const refusal = wallet.topUp === null ? 'auto_top_up_not_found' : null;
      const accept = (): undefined => wallet.setTopUp(null) as undefined;
      return { method: 'DELETE', path: `${path}/auto-top-up`, body: {}, refusal, accept };
    }
  }
}

/** Events in one request: each is accepted or refused by itself. Late ones take what is there now. */
function spending(
  { credits, units, daysAgo }: CreditOperation & { type: 'spend' },
  model: Model,
  customerId: string,
): CreditRequest {
  const usedAt = model.now - daysAgo * DAY;
  const events = units.map((n) => ({
    customerId,
    eventName: CREDIT_TYPES[credits].event,
    timestamp: iso(usedAt),
    properties: { n },
  }));
  const accept = (answer: unknown): string | undefined => {
    const { rejected = [] } = answer as { rejected?: { index: number; code: string }[] };
    const refused = model.credits.use(credits, units, usedAt, model.now);
    const expected = refused.flatMap((is, index) => (is ? `${index} insufficient_credits` : []));
    const actual = rejected.map(({ index, code }) => `${index} ${code}`);
    return expected.join() === actual.join()
      ? undefined
      : `rejected ${actual.join() || 'none'} in place of ${expected.join() || 'none'}`;
  };
  const path = daysAgo === 0 ? '/v1/events' : '/v1/events/backfill';
  return { method: 'POST', path, body: events, refusal: null, accept };
}

function blockOf({ ordered }: Wallet, which: 'first' | 'last' | 'bought'): Block | undefined {
  if (which === 'bought') return ordered.find(({ bought }) => bought !== null) ?? ordered[0];
  return ordered.at(which === 'first' ? 0 : -1);
}

function endOf(from: Moment, lastsDays: number | null | 'default'): Moment | null | 'default' {
  return typeof lastsDays === 'number' ? from + lastsDays * DAY + BESIDE : lastsDays;
}
