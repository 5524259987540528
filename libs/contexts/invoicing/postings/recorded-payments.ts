import { Decimal, type DecimalString } from '#libs/kernel/core';
import {
  creditPosting,
  debitPosting,
  NO_POSTINGS,
  type Posting,
  type PostingRules,
} from '#libs/contexts/ledger';
import type { InvoiceEvent } from '../events.js';
import type { RecordedPaymentMethod } from '../recorded-payments/recorded-payment.js';
import {
  bookingFieldsOf,
  receivableAccount,
  requireOpenPostingState,
  type InvoicePostingState,
} from './invoice-posting-state.js';

type RecordedPaymentEvent = Extract<
  InvoiceEvent,
  { type: 'PaymentRecorded' | 'RecordedPaymentReversed' | `BalancePayment${string}` }
>;

/**
 * A recorded payment is posted when it is recorded, not when the customer paid, because earlier months may be reported already. The part of
 * a payment above the amount due is owed to the customer. A payment from the customer's balance reduces the account `customer_credit`, and so
 * does an amount that is carried to the next invoice. The
 * reversal of a payment posts the same amounts with the opposite sign.
 */
export const recordedPaymentPostingRules: PostingRules<RecordedPaymentEvent, InvoicePostingState> = {
  PaymentRecorded: ({ data }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Payment of invoice ${requireOpenPostingState(book).number}, ${data.carried ? 'carried to the next invoice' : METHOD_TEXTS[data.method]}`,
      postings: paymentPostings(data, book),
    },
  }),
  RecordedPaymentReversed: ({ data }, { book }) => ({
    book,
    now: {
      ...bookingFieldsOf(requireOpenPostingState(book)),
      description: `Payment of invoice ${requireOpenPostingState(book).number}, ${METHOD_TEXTS[data.method]}, reversed`,
      postings: paymentPostings(data, book).map((posting) => ({
        ...posting,
        amount: new Decimal(posting.amount).negated().toFixed(),
      })),
    },
  }),
  BalancePaymentStarted: NO_POSTINGS,
  BalancePaymentFailed: NO_POSTINGS,
};

const METHOD_TEXTS: Readonly<Record<RecordedPaymentMethod, string>> = {
  bank_transfer: 'by bank transfer',
  cash: 'in cash',
  check: 'by check',
  card: 'by card elsewhere',
  other: 'outside the gateway',
  balance: "from the customer's balance",
};

function paymentPostings(
  {
    amount,
    toBalance = '0',
    method,
  }: { amount: DecimalString; toBalance?: DecimalString; method: RecordedPaymentMethod },
  book: InvoicePostingState | undefined,
): Posting[] {
  return [
    debitPosting(method === 'balance' ? 'customer_credit' : 'cash', amount),
    creditPosting(receivableAccount(book), new Decimal(amount).minus(toBalance)),
    creditPosting('customer_credit', toBalance),
  ];
}
