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

/** Something whose balance can be explained. */
export interface Subject {
  /** Whether the event is a part of its story even if nothing was posted for it. */
  hears(event: RecordedEvent): boolean;
  concerns(transaction: LedgerTransaction): boolean;
  /** Whether the posting changes the balance that is explained. */
  counts(key: AccountKey): boolean;
  /** What the balance is called. */
  readonly balance: string;
  /** Whether there is such a thing although no event has to do with it. */
  isKnown(names: PriceNames): boolean;
}

/** Reads what is to be explained. Throws a {@link CliError} if it is nothing that has a balance. */
export function subjectOf(named: string): Subject {
  if (named.startsWith('inv_')) return invoice(named);
  if (named.startsWith('cn_')) return creditNote(named);
  const [code, ...rest] = named.split(':') as [AccountCode, ...string[]];
  if (!ACCOUNT_CODES.includes(code) || (rest.length > 0 && !CHART[code].byPrice))
    throw new CliError(
      `"${named}" must be the id or the number of an invoice (inv_…, INV-000042) or of a credit note (cn_…, CN-000042), or one ` +
        `of ${ACCOUNT_CODES.join(', ')}, with the id of a price behind it for a part of revenue (revenue:price_…)`,
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

/** Its balance is what it changes of what the customer owes: until it is refunded, a refund is owed to the customer. */
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
