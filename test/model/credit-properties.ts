import { Decimal } from 'decimal.js';
import { iso, type Moment } from './calendar.ts';
import { CREDIT_TYPE_NAMES } from './credits.ts';
import type { Model } from './model.ts';
import type { SeenBlock, SeenWallet, Sight } from './observed.ts';
import { differ, sum, type Finding } from './properties.ts';
import type { Block, Unpaid, Wallet } from './wallet.ts';

/** Balances and blocks, in the order in which usage takes them. */
export function compareWallets(model: Model, wallets: readonly SeenWallet[]): Finding[] {
  return CREDIT_TYPE_NAMES.flatMap((type) => {
    const wallet = model.credits.of(type);
    const seen = wallets.find(({ creditType }) => creditType === type)!;
    learnIds(wallet, seen.blocks);
    const expected = [
      `balance ${wallet.balanceAt(model.now)}`,
      ...wallet.ordered.map((block) => blockText(block, model.now)),
      ...wallet.unpaid.map(unpaidText),
    ];
    const actual = [`balance ${seen.balance}`, ...seen.blocks.map(seenText)];
    return differ('wallet', type, expected.join('; '), actual.join('; '));
  });
}

/**
 * What the ledgers of the wallets come to. It has credits that count later too. Invoices show no credit as used twice. They may not show the
 * newest ones.
 */
export function compareChanges(model: Model, { changes, invoices }: Sight): Finding[] {
  return CREDIT_TYPE_NAMES.flatMap((type) => {
    const wallet = model.credits.of(type);
    const ofType = changes.filter(({ creditType }) => creditType === type);
    const has = sum(wallet.blocks.map(({ left }) => left));
    const expected = `${has.toFixed()} credits, ${wallet.uncovered} not covered`;
    const amount = sum(ofType.map((change) => change.amount));
    const overage = sum(ofType.map((change) => change.overage));
    const shown = sum(
      invoices
        .filter(({ status }) => status !== 'void')
        .flatMap(({ creditsUsed }) => creditsUsed.filter(({ creditType }) => creditType === type))
        .map(({ credits }) => credits),
    );
    const below = ofType.filter(({ balance }) => balance < 0).map(({ balance }) => String(balance));
    return [
      ...differ(
        'changes',
        `all of ${type}`,
        expected,
        `${amount.toFixed()} credits, ${overage.toFixed()} not covered`,
      ),
      ...differ('changes', `balances of ${type} below zero`, '', below.join(', ')),
      ...(shown.lte(wallet.covered)
        ? []
        : differ('changes', `used credits of ${type}`, `at most ${wallet.covered}`, shown.toFixed())),
    ];
  });
}

/** The books: each paid block at its cost and for the part that is left, and what is not paid yet. */
export function compareBooks(model: Model, { prepaid }: Sight): Finding[] {
  const expected = sum(CREDIT_TYPE_NAMES.map((type) => model.credits.of(type).booked));
  return differ(
    'books',
    `prepaid credits at ${iso(model.now)}`,
    expected.toFixed(2),
    new Decimal(prepaid).toFixed(2),
  );
}

/** The model is not told the ids of blocks that come by themselves. */
function learnIds(wallet: Wallet, seen: readonly SeenBlock[]): void {
  const known = new Set(wallet.blocks.map(({ id }) => id));
  for (const block of wallet.blocks.filter(({ id }) => id === null)) {
    const itself = seen.find(
      ({ id, amount, priority, invoiceId }) =>
        !known.has(id) &&
        amount === block.amount &&
        priority === block.priority &&
        invoiceId === (block.bought?.charge.invoiceId ?? null),
    );
    if (!itself) continue;
    block.id = itself.id;
    known.add(itself.id);
  }
}

function blockText(block: Block, now: Moment): string {
  const { left, amount, priority, from, until, bought } = block;
  const state = from > now ? 'scheduled' : 'active';
  const end = until === null ? 'for ever' : `to ${iso(until)}`;
  return `${state} ${left} of ${amount}, priority ${priority}, from ${iso(from)} ${end}${bought ? ', bought' : ''}`;
}

function unpaidText({ amount }: Unpaid): string {
  return `not paid ${amount}`;
}

function seenText(block: SeenBlock): string {
  const { status, remaining, amount, priority, effectiveAt, expiresAt, source } = block;
  if (status === 'pending_payment') return `not paid ${amount}`;
  const end = expiresAt === null ? 'for ever' : `to ${expiresAt}`;
  const bought = source === 'purchase' ? ', bought' : '';
  return `${status} ${remaining} of ${amount}, priority ${priority}, from ${effectiveAt} ${end}${bought}`;
}
