import { Recording } from './client.ts';
import type { Lane } from './lane.ts';
import { iso, SECOND } from './calendar.ts';
import type { SeenAttempt, SeenInvoice, SeenPayment, Sight } from './observed.ts';
import type { History } from './operations.ts';
import { play, type Planting } from './player.ts';
import type { PropertyName } from './properties.ts';
import type { SeenRevenue } from './revenue.ts';

/** A history in which nothing is wrong, with something of each kind to plant a defect in. */
export const SOUND: History = {
  start: {
    at: '01-31T00:00:00',
    plan: 'basic',
    seats: 1,
    licenses: 0,
    vat: true,
    card: 'pays',
    coupon: 'tenthOff',
    dunning: 'none',
  },
  operations: [
    { type: 'move', to: 'middle' },
    { type: 'usage', units: 33, daysAgo: 0 },
    { type: 'move', to: 'ten days' },
    { type: 'amend', to: { plan: 'pro' }, prorate: true },
    { type: 'creditNote', over: 'line', percent: 25, invoice: 'oldest', to: 'balance' },
  ],
};

/** Another one, which ends with a refund. */
const REFUNDED: History = {
  start: { ...SOUND.start, coupon: null },
  operations: [
    { type: 'move', to: 'middle' },
    { type: 'cancel', immediately: true, credit: 'refund', finalInvoice: true },
  ],
};

/** One in which usage costs more credits than a plan includes and a customer buys. */
const CREDITED: History = {
  start: { ...SOUND.start, plan: 'included', coupon: null },
  operations: [
    { type: 'purchase', credits: 'messages', amount: 100, collection: 'charge', lastsDays: null },
    { type: 'spend', credits: 'messages', units: [50], daysAgo: 0 },
    { type: 'spend', credits: 'messages', units: [100], daysAgo: 0 },
    { type: 'move', to: 'end' },
  ],
};

/** One in which a seat comes after the first period has begun. */
const LICENSED: History = {
  start: { ...SOUND.start, plan: 'licensed', licenses: 1, coupon: null },
  operations: [{ type: 'move', to: 'middle' }, { type: 'allocate' }],
};

/** One in which a card is declined twice. */
const DECLINED: History = {
  start: { ...SOUND.start, card: 'declinesTwice', coupon: null },
  operations: [
    { type: 'move', to: 'middle' },
    { type: 'amend', to: { plan: 'pro' }, prorate: true },
  ],
};

/** One in which transfers pay in part and more than is due, one is reversed, and the balance pays. */
const TRANSFERRED: History = {
  start: { ...SOUND.start, card: 'none', coupon: null },
  operations: [
    { type: 'move', to: 'middle' },
    { type: 'recordPayment', part: 'part', method: 'bank_transfer', invoice: 'unpaid' },
    { type: 'amend', to: { plan: 'pro' }, prorate: true },
    { type: 'recordPayment', part: 'more', method: 'cash', invoice: 'unpaid' },
    { type: 'reversePayment', payment: 'oldest' },
    { type: 'giveBalance', amount: 5, isMoney: true },
    { type: 'giveBalance', amount: 5, isMoney: false },
    { type: 'payFromBalance', amount: 7, invoice: 'unpaid' },
    { type: 'takeBalance', amount: 40, isMoney: false },
  ],
};

/** One in which a declined invoice is paid by a transfer that is reversed. */
const REOPENED: History = {
  start: { ...DECLINED.start, card: 'declines' },
  operations: [
    ...DECLINED.operations,
    { type: 'recordPayment', part: 'all', method: 'bank_transfer', invoice: 'unpaid' },
    { type: 'reversePayment', payment: 'newest' },
    { type: 'move', to: 'ten days' },
    { type: 'pay' },
  ],
};

/** One that ends in its fourth month, with fees in arrears and usage. The first month is closed. */
const EARNED: History = {
  start: { ...SOUND.start, at: '03-15T09:30:00', plan: 'late', coupon: null },
  operations: [
    { type: 'usage', units: 33, daysAgo: 0 },
    { type: 'move', to: 'end' },
    { type: 'closeMonths' },
    { type: 'amend', to: { plan: 'quarter' }, prorate: true },
    { type: 'move', to: 'middle' },
  ],
};

/** One with a price of its own, of which money goes back at the payment processor before it ends. */
const RETURNED: History = {
  start: { ...SOUND.start, coupon: 'fifthForTwo' },
  operations: [
    { type: 'move', to: 'middle' },
    { type: 'amend', to: { add: 'extra' }, prorate: true },
    { type: 'refundAtGateway', part: 'part', invoice: 'oldest' },
    { type: 'dispute', part: 'part', invoice: 'newest', decision: 'lost' },
    { type: 'cancel', immediately: true, credit: 'balance', finalInvoice: true },
  ],
};

/** One that nobody pays. */
const DUNNED: History = {
  start: { ...SOUND.start, card: 'none', coupon: null, dunning: 'pause' },
  operations: [
    { type: 'amend', to: { plan: 'pro' }, prorate: true },
    { type: 'move', to: 'ten days' },
    { type: 'move', to: 'ten days' },
  ],
};

/** A control: a defect that is planted in what is seen, and the property that must find it. */
interface Control {
  readonly plant: Planting;
  readonly foundBy: PropertyName;
  /** Where it is planted; absent: the first of them. */
  readonly history?: History;
}

/** A check that cannot fail shows nothing: each of these must be found. */
export const CONTROLS: Record<string, Control> = {
  'a line is missing': {
    foundBy: 'value',
    plant: onNewest((invoice) => ({ ...invoice, lines: invoice.lines.slice(1) })),
  },
  'a line is there twice': {
    foundBy: 'value',
    plant: onNewest((invoice) => ({ ...invoice, lines: [...invoice.lines, invoice.lines[0]!] })),
  },
  'nothing is given back': {
    foundBy: 'value',
    plant: onNewest((invoice) => ({ ...invoice, lines: invoice.lines.filter(({ amount }) => amount >= 0) })),
  },
  'an invoice is there twice': {
    foundBy: 'value',
    plant: whenComplete((sight) => ({
      ...sight,
      invoices: [...sight.invoices, { ...sight.invoices.at(-1)!, id: 'inv_again' }],
    })),
  },
  'the balance is one dollar more': {
    foundBy: 'total',
    plant: whenComplete((sight) => ({ ...sight, balance: sight.balance + 1 })),
  },
  'a refund is one dollar more': {
    foundBy: 'total',
    plant: whenComplete((sight) => ({
      ...sight,
      notes: sight.notes.map((note) => ({ ...note, refundAmount: note.refundAmount + 1 })),
      balance: sight.notes.length > 0 ? sight.balance : sight.balance + 1,
    })),
  },
  'what is to be refunded is on the balance': {
    foundBy: 'refund',
    history: REFUNDED,
    plant: whenComplete((sight) => ({
      ...sight,
      invoices: sight.invoices.map((invoice) => ({ ...invoice, refunds: [] })),
      balance: sight.invoices
        .flatMap(({ refunds }) => refunds)
        .reduce((sum, { amount }) => sum + amount, sight.balance),
    })),
  },
  'taxes are missing': {
    foundBy: 'invoice',
    plant: onNewest((invoice) => ({ ...invoice, taxes: [] })),
  },
  'more is credited than was charged': {
    foundBy: 'invoice',
    plant: onNewest((invoice) => ({ ...invoice, amountCredited: invoice.total + 1 })),
  },
  'a coupon takes off too much': {
    foundBy: 'coupon',
    plant: onNewest((invoice) => ({
      ...invoice,
      discounts: invoice.discounts.map((one) => ({ ...one, amount: one.amount + 1 })),
    })),
  },
  'a refund at the payment processor is missing': {
    foundBy: 'total',
    history: RETURNED,
    plant: whenComplete((sight) => ({
      ...sight,
      invoices: sight.invoices.map((invoice) => ({ ...invoice, gatewayRefunds: [] })),
    })),
  },
  'a lost dispute is given back again': {
    foundBy: 'total',
    history: RETURNED,
    plant: whenComplete((sight) => ({
      ...sight,
      balance: sight.invoices
        .flatMap(({ disputes }) => disputes)
        .reduce((sum, { amount }) => sum + amount, sight.balance),
    })),
  },
  'an added price is missing': {
    foundBy: 'terms',
    history: RETURNED,
    plant: whenComplete((sight) => ({
      ...sight,
      subscription: { ...sight.subscription, prices: sight.subscription.prices.slice(0, -1) },
    })),
  },
  'a coupon for several invoices takes nothing off': {
    foundBy: 'coupon',
    history: RETURNED,
    plant: onNewest((invoice) => ({ ...invoice, discounts: [] })),
  },
  'nobody pays, and the subscription goes on': {
    foundBy: 'terms',
    history: DUNNED,
    plant: whenComplete((sight) => ({ ...sight, subscription: { ...sight.subscription, status: 'active' } })),
  },
  'a price is another version': {
    foundBy: 'terms',
    plant: whenComplete((sight) => ({
      ...sight,
      subscription: {
        ...sight.subscription,
        prices: sight.subscription.prices.map((price) => ({ ...price, version: price.version + 1 })),
      },
    })),
  },
  'a wallet has one credit more': {
    foundBy: 'wallet',
    history: CREDITED,
    plant: whenComplete((sight) => ({
      ...sight,
      wallets: sight.wallets.map((wallet) => ({ ...wallet, balance: wallet.balance + 1 })),
    })),
  },
  'a block is missing': {
    foundBy: 'wallet',
    history: CREDITED,
    plant: whenComplete((sight) => ({
      ...sight,
      wallets: sight.wallets.map((wallet) => ({ ...wallet, blocks: wallet.blocks.slice(1) })),
    })),
  },
  'a change of a wallet is missing': {
    foundBy: 'changes',
    history: CREDITED,
    plant: whenComplete((sight) => ({ ...sight, changes: sight.changes.slice(1) })),
  },
  'a wallet was below zero': {
    foundBy: 'changes',
    history: CREDITED,
    plant: whenComplete((sight) => ({
      ...sight,
      changes: sight.changes.map((change) => ({ ...change, balance: -1 })),
    })),
  },
  'the books have one dollar more for credits': {
    foundBy: 'books',
    history: CREDITED,
    plant: whenComplete((sight) => ({ ...sight, prepaid: sight.prepaid + 1 })),
  },
  'overage is there twice': {
    foundBy: 'value',
    history: CREDITED,
    plant: onNewest((invoice) => ({
      ...invoice,
      lines: [...invoice.lines, ...invoice.lines.filter(({ type }) => type === 'overage')],
    })),
  },
  'credits are shown as used twice': {
    foundBy: 'changes',
    history: CREDITED,
    plant: onNewest((invoice) => ({
      ...invoice,
      creditsUsed: [...invoice.creditsUsed, ...invoice.creditsUsed],
    })),
  },
  'no credits are shown as used': {
    foundBy: 'preview',
    history: CREDITED,
    plant: onNewest((invoice) => ({ ...invoice, creditsUsed: [] })),
  },
  'a purchase is not invoiced': {
    foundBy: 'value',
    history: CREDITED,
    plant: onNewest((invoice) => ({
      ...invoice,
      lines: invoice.lines.filter(({ type }) => type !== 'credit_purchase'),
    })),
  },
  'a seat more is not charged': {
    foundBy: 'value',
    history: LICENSED,
    plant: onNewest((invoice) => ({ ...invoice, lines: [] })),
  },
  'a retry is missing': {
    foundBy: 'attempts',
    history: DECLINED,
    plant: onAttempts((attempts) => attempts.filter(({ retry }) => retry !== 1)),
  },
  'a charge is there twice': {
    foundBy: 'attempts',
    history: DECLINED,
    plant: onAttempts((attempts) => [...attempts, attempts.at(-1)!]),
  },
  'a retry is a second late': {
    foundBy: 'attempts',
    history: DECLINED,
    plant: onAttempts((attempts) =>
      attempts.map((one) => ({
        ...one,
        createdAt: iso(Date.parse(one.createdAt) + (one.retry === null ? 0 : SECOND)),
      })),
    ),
  },
  'a payment counts twice': {
    foundBy: 'payments',
    history: TRANSFERRED,
    plant: onPayments((payments) => [...payments, ...payments]),
  },
  'a reversed payment still counts': {
    foundBy: 'payments',
    history: TRANSFERRED,
    plant: onPayments((payments) => payments.map((one) => ({ ...one, status: 'succeeded' }))),
  },
  'what was paid beyond is not on the balance': {
    foundBy: 'total',
    history: TRANSFERRED,
    plant: whenComplete((sight) => ({ ...sight, balance: 0 })),
  },
  'a payment from the balance leaves it where it is': {
    foundBy: 'accounts',
    history: TRANSFERRED,
    plant: whenComplete((sight) => ({
      ...sight,
      balance:
        sight.balance +
        sight.invoices
          .flatMap(({ payments }) => payments)
          .filter(({ method, status }) => method === 'balance' && status === 'succeeded')
          .reduce((sum, { amount }) => sum + amount, 0),
    })),
  },
  'a payment is not in the ledger': {
    foundBy: 'accounts',
    history: TRANSFERRED,
    plant: whenComplete((sight) => ({ ...sight, accounts: { ...sight.accounts, cash: 0 } })),
  },
  'an invoice that was paid by transfer is charged again': {
    foundBy: 'attempts',
    history: REOPENED,
    plant: whenComplete((sight) => ({
      ...sight,
      attempts: Object.fromEntries(
        Object.entries(sight.attempts).map(([id, attempts]) => [
          id,
          attempts.length === 1 && sight.invoices.some((one) => one.id === id && one.payments.length > 0)
            ? [...attempts, attempts[0]!]
            : attempts,
        ]),
      ),
    })),
  },
  'what was earned is a dollar more': {
    foundBy: 'revenue',
    history: EARNED,
    plant: onRevenue((one) => ({ ...one, recognised: one.recognised + 1, booked: one.booked + 1 })),
  },
  'what is deferred was earned at once': {
    foundBy: 'revenue',
    history: EARNED,
    plant: onRevenue((one) => ({ ...one, recognised: one.recognised + one.deferred, deferred: 0 })),
  },
  'nothing is accrued': {
    foundBy: 'revenue',
    history: EARNED,
    plant: onRevenue(({ recognised, deferred, unbilled }) => ({
      recognised: recognised - unbilled,
      booked: recognised - unbilled + deferred,
      deferred,
      unbilled: 0,
    })),
  },
  'a closed month changed': {
    foundBy: 'revenue',
    history: EARNED,
    plant: (sight) => ({
      ...sight,
      ...(sight.revenue && {
        revenue: {
          ...sight.revenue,
          months: sight.revenue.months.map((one) => ({
            ...one,
            recognised: one.recognised + 1,
            booked: one.booked + 1,
            billed: one.billed + 1,
          })),
        },
      }),
    }),
  },
  'a seat is missing': {
    foundBy: 'terms',
    history: LICENSED,
    plant: whenComplete((sight) => ({
      ...sight,
      subscription: {
        ...sight.subscription,
        prices: sight.subscription.prices.map((price) => ({ ...price, quantity: 1 })),
      },
    })),
  },
};

/**
 * Plants each defect in turn, and answers those that were not found; besides, what is found without any. A defect is planted in what is
 * seen, so each history is played once, and what was answered then is looked at again with each of its defects.
 */
export async function missedControls(lane: Lane, names = Object.keys(CONTROLS)): Promise<string[]> {
  const missed: string[] = [];
  for (const [history, planted] of Map.groupBy(names, (name) => CONTROLS[name]!.history ?? SOUND)) {
    const before = lane.with(lane.client);
    const recording = new Recording(lane.client);
    const recorded = lane.with(recording);
    for (const { problem, expected, actual } of (await play(recorded, history)).findings)
      missed.push(`found without a defect: ${problem}: expected ${expected}, actual ${actual}`);
    lane.now = recorded.now;
    lane.closedTo = recorded.closedTo;
    for (const name of planted) {
      const { plant, foundBy } = CONTROLS[name]!;
      const { findings } = await play(before.with(recording.replay()), history, plant);
      if (!findings.some(({ property }) => property === foundBy)) missed.push(`not found: ${name}`);
    }
  }
  return missed;
}

/** From when on a history has two invoices: the first one and that of the change. */
function whenComplete(change: Planting): Planting {
  return (sight: Sight) => (sight.invoices.length < 2 ? sight : change(sight));
}

function onAttempts(change: (attempts: readonly SeenAttempt[]) => readonly SeenAttempt[]): Planting {
  return whenComplete((sight) => ({
    ...sight,
    attempts: Object.fromEntries(
      Object.entries(sight.attempts).map(([id, attempts]) => [
        id,
        attempts.length > 0 ? change(attempts) : attempts,
      ]),
    ),
  }));
}

function onPayments(change: (payments: readonly SeenPayment[]) => readonly SeenPayment[]): Planting {
  return whenComplete((sight) => ({
    ...sight,
    invoices: sight.invoices.map((invoice) => ({ ...invoice, payments: change(invoice.payments) })),
  }));
}

function onRevenue(change: (seen: SeenRevenue) => SeenRevenue): Planting {
  return (sight) =>
    sight.revenue
      ? { ...sight, revenue: { ...sight.revenue, customers: sight.revenue.customers.map(change) } }
      : sight;
}

function onNewest(change: (invoice: SeenInvoice) => SeenInvoice): Planting {
  return whenComplete((sight) => ({
    ...sight,
    invoices: [...sight.invoices.slice(0, -1), change(sight.invoices.at(-1)!)],
  }));
}
