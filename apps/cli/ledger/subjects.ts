import type { RecordedEvent } from '#libs/event-store';
import { ACCOUNT_CODES, type AccountCode, type AccountKey, type LedgerTransaction } from '#libs/ledger';
import { CliError } from '../cli-error.js';

/** Something whose balance can be explained. */
export interface Subject {
  /** Whether the event is a part of its story even if nothing was posted for it. */
  hears(event: RecordedEvent): boolean;
  concerns(transaction: LedgerTransaction): boolean;
  /** Whether the posting changes the balance that is explained. */
  counts(key: AccountKey): boolean;
  /** What the balance is called. */
  readonly balance: string;
}

/** Reads what is to be explained. Throws a {@link CliError} if it is nothing that has a balance. */
export function subjectOf(named: string): Subject {
  if (named.startsWith('inv_')) return invoice(named);
  const [code, ...rest] = named.split(':');
  if (!ACCOUNT_CODES.includes(code as AccountCode))
    throw new CliError(
      `"${named}" must be the id or the number of an invoice (inv_…, INV-000042), or one of ${ACCOUNT_CODES.join(', ')}, with ` +
        'the id of a price behind it for a part of revenue (revenue:price_…)',
    );
  return account(code as AccountCode, rest.length === 0 ? undefined : rest.join(':'));
}

function invoice(invoiceId: string): Subject {
  return {
    hears: ({ data }) => (data as { invoiceId?: unknown }).invoiceId === invoiceId,
    concerns: (transaction) => transaction.invoiceId === invoiceId,
    counts: (key) => key.account === 'accounts_receivable',
    balance: 'owed',
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
  };
}
