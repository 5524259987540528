import { Decimal, sumOf } from '#libs/kernel/core';
import {
  creditPosting,
  debitPosting,
  NO_POSTINGS,
  type Posting,
  type PostingRules,
} from '#libs/contexts/ledger';
import type { CreditNoteDetails } from '../credit-notes/credit-note.js';
import type { InvoiceEvent } from '../events.js';
import { sumByPrice } from './sum-by-price.js';
import { applyCreditNoteToLines, undoCreditNoteOnLines } from './credited-lines.js';
import {
  bookingFieldsOf,
  requireBookedCreditNote,
  requireOpenPostingState,
  receivableAccount,
  setCreditNoteInPostingState,
  removeCreditNoteFromPostingState,
  type UnnumberedCreditNote,
  type InvoicePostingState,
  type ReversedDeferral,
} from './invoice-posting-state.js';
import { bookedAllocationsOf } from './note-allocations.js';
import { revenueReleasesAfter } from './releases.js';

type CreditNoteEvent = Extract<InvoiceEvent, { type: `CreditNote${string}` }>;

/**
 * A credit note is posted when it gets its number, like an invoice. Each posting of a credit note therefore belongs to a document with a
 * number. The amounts of a credit note are fixed when it is issued, shortly before it gets its number. The part of a credit note that is
 * not earned yet reduces deferred revenue. The earned part of a credit note is posted to the account `refunds`. If a
 * credit note reduces deferred revenue, its booking also moves to revenue what the line earned since the end of the last month.
 */
export const creditNotePostingRules: PostingRules<CreditNoteEvent, InvoicePostingState> = {
  CreditNoteIssued: ({ data: { note, currency } }, { book }) => ({
    book: setCreditNoteInPostingState(book, note.creditNoteId, {
      awaits: awaitedCreditNote(note, book, currency),
    }),
  }),
  CreditNoteNumbered({ data: { creditNoteId, number, currency }, metadata: { occurredAt } }, { book }) {
    const note = requireBookedCreditNote(book, creditNoteId);
    if (!('awaits' in note)) throw new Error(`credit note ${note.number} is numbered twice`);
    const { lines: before = [], timezone } = requireOpenPostingState(book);
    const by = { currency, timezone };
    const { lines, reversed, deferred, earned } = applyCreditNoteToLines(before, note.awaits, occurredAt, by);
    const next = {
      ...setCreditNoteInPostingState(book, creditNoteId, { number, posted: { ...note.awaits, reversed } }),
      ...(lines.length > 0 ? { lines } : {}),
    };
    const now = {
      ...bookingFieldsOf(next),
      description: `Credit note ${number} on invoice ${next.number}`,
      postings: [
        debitPosting('refunds', new Decimal(note.awaits.net).minus(totalOf(reversed))),
        ...sumByPrice(deferred).map(({ priceId, amount }) =>
          debitPosting('deferred_revenue', amount, priceId),
        ),
        ...sumByPrice(earned).map(({ priceId, amount }) => creditPosting('revenue', amount, priceId)),
        ...note.awaits.postings,
      ],
    };
    if (reversed.length === 0 && earned.length === 0) return { book: next, now };
    return {
      book: next,
      now,
      cancelsScheduled: true,
      schedules: revenueReleasesAfter(next, lines, occurredAt, currency),
    };
  },
  CreditNoteRefunded({ data: { creditNoteId, amount } }, { book }) {
    const note = requireBookedCreditNote(book, creditNoteId);
    if ('awaits' in note) throw new Error(`credit note ${creditNoteId} is refunded before it has a number`);
    return {
      book,
      now: {
        ...bookingFieldsOf(requireOpenPostingState(book)),
        description: `Refund of credit note ${note.number} on invoice ${requireOpenPostingState(book).number}`,
        postings: [debitPosting('accounts_receivable', amount), creditPosting('cash', amount)],
      },
    };
  },
  // The amount is owed to the customer, as before.
  CreditNoteRefundRefused: NO_POSTINGS,
  // The money is back, and the amount is owed to the customer again.
  CreditNoteRefundFailed({ data: { creditNoteId, amount } }, { book }) {
    const note = requireBookedCreditNote(book, creditNoteId);
    if ('awaits' in note) throw new Error(`credit note ${creditNoteId} is refunded before it has a number`);
    return {
      book,
      now: {
        ...bookingFieldsOf(requireOpenPostingState(book)),
        description: `Refund of credit note ${note.number} on invoice ${requireOpenPostingState(book).number} failed`,
        postings: [debitPosting('cash', amount), creditPosting('accounts_receivable', amount)],
      },
    };
  },
  /**
   * Reverses the postings of the voided credit note. The amount that the credit note took from deferred revenue is deferred again, less the
   * part that would be earned by now.
   */
  CreditNoteVoided({ data: { creditNoteId, currency }, metadata: { occurredAt } }, { book }) {
    const note = requireBookedCreditNote(book, creditNoteId);
    if ('awaits' in note) throw new Error(`credit note ${creditNoteId} is voided before it has a number`);
    const { number, posted } = note;
    const { lines: before, timezone } = requireOpenPostingState(book);
    const by = { currency, timezone };
    const { lines, deferred, earned } = undoCreditNoteOnLines(before ?? [], posted, occurredAt, by);
    const next = { ...removeCreditNoteFromPostingState(book, creditNoteId), ...(before ? { lines } : {}) };
    const now = {
      ...bookingFieldsOf(next),
      description: `Credit note ${number} on invoice ${next.number} voided`,
      postings: [
        creditPosting('refunds', new Decimal(posted.net).minus(totalOf(posted.reversed))),
        ...sumByPrice(deferred).map(({ priceId, amount }) =>
          creditPosting('deferred_revenue', amount, priceId),
        ),
        ...sumByPrice(earned).map(({ priceId, amount }) => creditPosting('revenue', amount, priceId)),
        ...reversePostings(posted.postings, book),
      ],
    };
    if (posted.reversed.length === 0) return { book: next, now };
    return {
      book: next,
      now,
      cancelsScheduled: true,
      schedules: revenueReleasesAfter(next, lines, occurredAt, currency),
    };
  },
};

/**
 * The reverse of the postings of {@link awaitedCreditNote}. If the invoice has been written off meanwhile, the amount that is owed again is
 * posted to bad debt. The refund, which is the last posting, was owed to the customer, so a write-off does not include it.
 */
function reversePostings(postings: readonly Posting[], book: InvoicePostingState | undefined): Posting[] {
  return postings.map((posting, index) => {
    const isReceivable = posting.account === 'accounts_receivable' || posting.account === 'bad_debt';
    const isOwedAgain = isReceivable && index < postings.length - 1;
    return {
      ...posting,
      ...(isOwedAgain ? { account: receivableAccount(book) } : {}),
      amount: new Decimal(posting.amount).negated().toFixed(),
    };
  });
}

function totalOf(reversed: readonly ReversedDeferral[]): Decimal {
  return sumOf(reversed.map(({ deferral }) => deferral.amount));
}

function awaitedCreditNote(
  note: CreditNoteDetails,
  book: InvoicePostingState | undefined,
  currency: string,
): UnnumberedCreditNote {
  const tax = sumOf(note.taxes.map(({ amount }) => amount));
  const { lines } = requireOpenPostingState(book);
  const postings: Posting[] = [
    ...note.taxes.map(({ taxRateId, amount }) => debitPosting('tax_payable', amount, taxRateId)),
    creditPosting(receivableAccount(book), note.unpaid),
    creditPosting('customer_credit', note.toBalance),
    // The amount is owed to the customer until the refund is made. The posting stays the last one: see `reversePostings`.
    creditPosting('accounts_receivable', note.refunded),
  ];
  return {
    net: new Decimal(note.total).minus(tax).toFixed(),
    allocations: lines === undefined ? [] : bookedAllocationsOf(note, lines, currency),
    postings,
  };
}
