import { Decimal, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import {
  creditPosting,
  debitPosting,
  NO_POSTINGS,
  type AccountCode,
  type Booking,
  type PostingOutcome,
  type PostingRules,
} from '#libs/contexts/ledger';
import type { TaxAmount } from '#libs/rating';
import type { WalletEvent } from './events.js';

/** The bought blocks of a wallet that have credits left. Free credits have no value in the books. */
export interface WalletPostingState {
  readonly currency: string;
  /** The time zone (IANA) that determines the date of a booking. It is the time zone of the invoice of the last paid purchase. */
  readonly timezone: string;
  readonly blocks: Readonly<Record<string, BookedBlock>>;
}

interface BookedBlock {
  readonly amount: DecimalString;
  readonly remaining: DecimalString;
  /** The amount that was paid for the whole block, without taxes. */
  readonly costBasis: DecimalString;
}

/**
 * The posting rules of wallets. The invoice of a purchase posts its amount without taxes to the account for prepaid credits, which is
 * deferred revenue. When usage draws credits, their share of the block's cost basis moves to revenue. Credits that expire, or are voided
 * without a credit note, are breakage (IFRS 15 B46, ASC 606-10-55-48). If a credit note gives back the price of voided credits, their value
 * is posted to the account for refunds. The credit note takes the value of the voided credits from the account for refunds.
 */
export const walletPostings: PostingRules<WalletEvent, WalletPostingState> = {
  CreditPurchaseActivated: ({ data: { blockId, amount, costBasis, currency, timezone } }, { book }) => ({
    book: {
      currency,
      timezone,
      blocks: { ...book?.blocks, [blockId]: { amount, remaining: amount, costBasis: costBasis ?? '0' } },
    },
  }),
  CreditsDrawnDown: ({ data: { draws } }, { book }) =>
    release(book, draws, 'revenue', 'Prepaid credits used'),
  CreditsExpired: ({ data }, { book }) => release(book, [data], 'breakage', 'Prepaid credits expired'),
  CreditsVoided: ({ data: { draws, creditNote } }, { book }) =>
    release(book, draws, creditNote ? 'refunds' : 'breakage', 'Prepaid credits voided'),
  // The refund was posted to refunds, and the lost payment to bad debt. What is taken back has cost the seller nothing, and no tax is owed
  // on it any more.
  PurchasedCreditsTakenBack: ({ data }, { book }) => {
    const account = data.cause === 'dispute' ? 'bad_debt' : 'refunds';
    const description = 'Prepaid credits taken back after their payment went back';
    return release(book, [data], account, description, data.taxes);
  },
  PurchasedCreditsBlocked: NO_POSTINGS,
  PurchasedCreditsReleased: NO_POSTINGS,
  CreditsGranted: NO_POSTINGS,
  // The invoice posts the overage.
  CreditOverageBilled: NO_POSTINGS,
  CreditOverageReturned: NO_POSTINGS,
  CreditsUsedInvoiced: NO_POSTINGS,
  CreditsUsedReturned: NO_POSTINGS,
  CreditPurchaseCreated: NO_POSTINGS,
  CreditPurchaseVoided: NO_POSTINGS,
  CreditPurchaseWrittenOff: NO_POSTINGS,
  AutoTopUpSet: NO_POSTINGS,
  AutoTopUpRemoved: NO_POSTINGS,
  AutoTopUpDeferred: NO_POSTINGS,
  CreditsRefused: NO_POSTINGS,
  WalletBalanceLow: NO_POSTINGS,
  WalletBalanceDepleted: NO_POSTINGS,
  WalletBalanceRecovered: NO_POSTINGS,
};

/**
 * Moves the value of credits from the account for prepaid credits to another account. `taxes` on the price of these credits, which are not
 * owed any more, move to the same account.
 */
function release(
  book: WalletPostingState | undefined,
  draws: readonly { readonly blockId: string | null; readonly amount: DecimalString }[],
  account: AccountCode,
  description: string,
  taxes: readonly TaxAmount[] = [],
): PostingOutcome<WalletPostingState> {
  if (!book) return { book };
  const blocks = { ...book.blocks };
  let value = new Decimal(0);
  for (const [blockId, ofBlock] of Map.groupBy(draws, (draw) => draw.blockId)) {
    const before = blockId === null ? undefined : blocks[blockId];
    if (before === undefined) continue;
    const drawn = sumOf(ofBlock.map(({ amount }) => amount));
    const after = { ...before, remaining: new Decimal(before.remaining).minus(drawn).toFixed() };
    value = value.plus(valueOf(before, book)).minus(valueOf(after, book));
    if (new Decimal(after.remaining).isZero()) delete blocks[blockId!];
    else blocks[blockId!] = after;
  }
  const { currency, timezone } = book;
  const now: Booking = {
    currency,
    timezone,
    description,
    postings: [
      debitPosting('prepaid_credits', value),
      ...taxes.map(({ taxRateId, amount }) => debitPosting('tax_payable', amount, taxRateId)),
      creditPosting(account, value.plus(sumOf(taxes.map(({ amount }) => amount)))),
    ],
  };
  return { book: Object.keys(blocks).length === 0 ? undefined : { ...book, blocks }, now };
}

/**
 * Returns the rounded value of the remaining credits of a block. Each booking is the difference between two rounded values, so all bookings
 * of a block sum to its cost basis.
 */
function valueOf({ amount, remaining, costBasis }: BookedBlock, { currency }: WalletPostingState): Decimal {
  return roundToCurrency(new Decimal(costBasis).times(remaining).dividedBy(amount), currency);
}
