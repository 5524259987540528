import type { RecordedEvent } from '#libs/kernel/domain';
import {
  ACCOUNT_CODES,
  CHART,
  type AccountCode,
  type AccountKey,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
import { CliError } from '../cli-error.js';
import type { PriceNames } from './price-names.js';

/** An invoice, a credit note or an account, whose balance can be explained. */
export interface Subject {
  /** Tells whether an event is part of the explanation although it has no postings. */
  hears(event: RecordedEvent): boolean;
  /** Tells whether a transaction is part of the explanation. */
  concerns(transaction: LedgerTransaction): boolean;
  /** Tells whether a posting changes the explained balance. */
  counts(key: AccountKey): boolean;
  /** The heading of the balance column. */
  readonly balance: string;
  /** Tells whether the subject exists although no event is about it. */
  isKnown(names: PriceNames): boolean;
}

/** Parses the subject of an explanation. Throws a {@link CliError} if the text names neither a document nor an account. */
export function subjectOf(named: string): Subject {
  if (named.startsWith('inv_')) return invoice(named);
  if (named.startsWith('cn_')) return creditNote(named);
  const [code, ...rest] = named.split(':') as [AccountCode, ...string[]];
  if (!ACCOUNT_CODES.includes(code) || (rest.length > 0 && !CHART[code].byPrice))
    throw new CliError(
      `"${named}" must be the id or the number of an invoice (inv_…, INV-000042) or of a credit note (cn_…, CN-000042), or one ` +
        `of the accounts ${ACCOUNT_CODES.join(', ')}. For the revenue of one price, append the price's id (revenue:price_…)`,
    );
  return account(code, rest.length === 0 ? undefined : rest.join(':'));
}

function invoice(invoiceId: string): Subject {
  return {
    hears: ({ data }) => (data as { invoiceId?: unknown }).invoiceId === invoiceId,
    concerns: (transaction) => transaction.invoiceId === invoiceId,
    counts: (key) => key.account === 'accounts_receivable',
    balance: 'owed',
    isKnown: () => false,
  };
}

/** A credit note's balance is its effect on the amount that the customer owes. A refund is owed to the customer until it is paid out. */
function creditNote(creditNoteId: string): Subject {
  return {
    hears: ({ type, data }) =>
      type === 'CreditNoteIssued' &&
      (data as { note: { creditNoteId: string } }).note.creditNoteId === creditNoteId,
    concerns: (transaction) => transaction.creditNoteId === creditNoteId,
    counts: (key) => key.account === 'accounts_receivable',
    balance: 'owed',
    isKnown: () => false,
  };
}

function account(code: AccountCode, priceId: string | undefined): Subject {
  const counts = (key: AccountKey): boolean =>
    key.account === code && (priceId === undefined || key.priceId === priceId);
  return {
    hears: () => false,
    concerns: ({ postings }) => postings.some(counts),
    counts,
    balance: 'balance',
    isKnown: (names) => priceId === undefined || names.nameOf(priceId) !== undefined,
  };
}
