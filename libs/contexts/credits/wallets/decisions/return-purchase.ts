import { Decimal, decimalString, moneyString, roundToCurrency, type DecimalString } from '#libs/kernel/core';
import type { TaxAmount } from '#libs/rating';
import type { PurchaseReturnCause, WalletEvent } from '../events.js';
import { evolve } from '../evolve.js';
import { balanceAt, walletKeyOf, type Wallet, type WalletBlock } from '../wallet.js';
import type { WalletCommandOf } from './wallet-command.js';

/** The number of decimals of a part of a block's credits. */
const DECIMALS = 6;

/**
 * Applies the part of a purchase's price that went back at the payment processor to the credits of its block. With `take_back`, the same
 * part of the credits is taken back, as far as it is unused, with the tax on its price. With `block`, the same part cannot be used. With `keep`, nothing happens. The
 * part of a dispute that the bank has not decided cannot be used until the decision, except with `keep`.
 */
export function returnPurchase(
  { at, blockId, shares, taxes: taxesReturned, policy }: WalletCommandOf<'ReturnPurchase'>,
  wallet: Wallet,
): WalletEvent[] {
  const block = wallet.blocks.find((one) => one.blockId === blockId);
  if (block?.invoiceId === undefined) return [];
  const { invoiceId } = block;
  const events: WalletEvent[] = [];
  let current = wallet;
  const record = (eventOf: (before: Wallet) => WalletEvent) => {
    const event = withBalanceAfter(eventOf(current), current);
    events.push(event);
    current = evolve(current, event);
  };
  const currentBlock = () => current.blocks.find((one) => one.blockId === blockId);
  const about = { ...walletKeyOf(wallet), at, balance: '0', blockId, invoiceId };

  const blocked = new Decimal(block.blocked ?? 0);
  const toBlock = Decimal.min(creditsToBlock(block, shares, policy), block.remaining);
  const taken = policy === 'take_back' ? takenBackNow(block, shares) : [];
  // Credits that are taken back are released first, so the entries of the ledger add up to the balance.
  const blockedBefore = Decimal.min(blocked, toBlock);
  if (blocked.gt(blockedBefore)) {
    const amount = decimalString(blocked.minus(blockedBefore));
    record(() => ({ type: 'PurchasedCreditsReleased', data: { ...about, amount } }));
  }
  for (const { cause, amount } of taken) {
    const taxes = taxesTakenBack(currentBlock() ?? block, amount, { shares, taxes: taxesReturned });
    record(() => ({
      type: 'PurchasedCreditsTakenBack',
      data: { ...about, amount, cause, ...(taxes.length > 0 ? { taxes } : {}) },
    }));
  }
  const left = currentBlock()?.remaining ?? '0';
  const more = Decimal.min(toBlock, left).minus(blockedBefore);
  if (more.gt(0)) {
    const amount = decimalString(more);
    record(() => ({ type: 'PurchasedCreditsBlocked', data: { ...about, amount } }));
  }
  return events;
}

/** The credits of a block that must not be used: see {@link returnPurchase}. */
function creditsToBlock(
  { amount }: WalletBlock,
  { refunded, lost, disputed }: WalletCommandOf<'ReturnPurchase'>['shares'],
  policy: WalletCommandOf<'ReturnPurchase'>['policy'],
): Decimal {
  switch (policy) {
    case 'keep':
      return new Decimal(0);
    case 'take_back':
      return shareOf(amount, new Decimal(disputed));
    case 'block':
      return shareOf(amount, new Decimal(refunded).plus(lost).plus(disputed));
  }
}

/** The unused credits to take back now, by cause. Credits that were taken back before are not taken again. */
function takenBackNow(
  { amount, remaining, takenBack = '0' }: WalletBlock,
  { refunded, lost }: WalletCommandOf<'ReturnPurchase'>['shares'],
): { cause: PurchaseReturnCause; amount: DecimalString }[] {
  let left = new Decimal(remaining);
  let before = new Decimal(takenBack);
  return (
    [
      ['refund', refunded],
      ['dispute', lost],
    ] as const
  ).flatMap(([cause, share]) => {
    const credits = shareOf(amount, new Decimal(share));
    const known = Decimal.min(before, credits);
    before = before.minus(known);
    const taken = Decimal.min(left, credits.minus(known));
    left = left.minus(taken);
    return taken.gt(0) ? [{ cause, amount: decimalString(taken) }] : [];
  });
}

/**
 * The taxes on the price of `amount` credits that are taken back. The taxes of all credits that were taken back are in proportion to the
 * credits that the refunded and the lost part of the price had bought. So if all of these are taken back, the sum of their taxes is exactly
 * the tax that went back.
 */
function taxesTakenBack(
  { amount: all, currency, takenBack = '0', takenBackTaxes = [] }: WalletBlock,
  amount: DecimalString,
  { shares, taxes }: Pick<WalletCommandOf<'ReturnPurchase'>, 'shares' | 'taxes'>,
): TaxAmount[] {
  const returned = shareOf(all, new Decimal(shares.refunded)).plus(shareOf(all, new Decimal(shares.lost)));
  const part = Decimal.min(new Decimal(takenBack).plus(amount).dividedBy(Decimal.min(returned, all)), 1);
  return taxes.flatMap(({ taxRateId, amount: tax }) => {
    const before = takenBackTaxes.find((one) => one.taxRateId === taxRateId)?.amount ?? '0';
    const now = roundToCurrency(part.times(tax), currency).minus(before);
    return now.gt(0) ? [{ taxRateId, amount: moneyString(now, currency) }] : [];
  });
}

function shareOf(amount: DecimalString, share: Decimal): Decimal {
  const part = Decimal.min(share, 1);
  return part.eq(1) ? new Decimal(amount) : part.times(amount).toDecimalPlaces(DECIMALS, Decimal.ROUND_DOWN);
}

/** Returns the event with the balance right after it. */
function withBalanceAfter(event: WalletEvent, wallet: Wallet): WalletEvent {
  const balance = balanceAt(evolve(wallet, event), event.data.at);
  return { ...event, data: { ...event.data, balance } } as WalletEvent;
}
