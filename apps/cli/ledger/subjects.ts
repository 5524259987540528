import type { RecordedEvent } from '#libs/kernel/domain';
import {
  ACCOUNT_CODES,
  CHART_OF_ACCOUNTS,
  type AccountCode,
  type AccountKey,
  type LedgerTransaction,
} from '#libs/contexts/ledger';
import type { AccountNames } from '#libs/outputs/books';
import { CliError } from '../cli-error.js';

/** An invoice, a credit note or an account, whose balance can be explained. */
export interface ExplanationSubject {
  /** Tells whether an event without a posting to the subject is part of the explanation. */
  includesEvent(event: RecordedEvent): boolean;
  /** Tells whether a transaction is part of the explanation. */
  includesTransaction(transaction: LedgerTransaction): boolean;
  /** Tells whether a posting changes the explained balance. */
  changesBalance(key: AccountKey): boolean;
  /** The heading of the balance column. */
  readonly balanceHeading: string;
  /** Tells whether the subject exists although no event is about it. */
  existsWithoutEvents(names: AccountNames): boolean;
}

/** Parses the subject of an explanation. Throws a {@link CliError} if the text names neither a document nor an account. */
export function parseSubject(named: string): ExplanationSubject {
  if (named.startsWith('inv_')) return invoiceSubject(named);
  if (named.startsWith('cn_')) return creditNoteSubject(named);
  const [code, ...rest] = named.split(':') as [AccountCode, ...string[]];
  if (!ACCOUNT_CODES.includes(code) || (rest.length > 0 && CHART_OF_ACCOUNTS[code].dividedBy === null))
    throw new CliError(
      `"${named}" must be the id or the number of an invoice (inv_…, INV-000042) or of a credit note (cn_…, CN-000042), or one ` +
        `of the accounts ${ACCOUNT_CODES.join(', ')}. For one price or tax rate, append its id (revenue:price_…, tax_payable:txr_…)`,
    );
  return accountSubject(code, rest.length === 0 ? undefined : rest.join(':'));
}

function invoiceSubject(invoiceId: string): ExplanationSubject {
  return {
    includesEvent: ({ data }) => {
      const { invoiceId: own, creditNote } = data as {
        invoiceId?: unknown;
        creditNote?: { invoiceId: unknown };
      };
      // A void of bought credits names the invoice that gives their price back.
      return own === invoiceId || creditNote?.invoiceId === invoiceId;
    },
    includesTransaction: (transaction) => transaction.invoiceId === invoiceId,
    changesBalance: (key) => key.account === 'accounts_receivable',
    balanceHeading: 'owed',
    existsWithoutEvents: () => false,
  };
}

/**
 * A credit note's balance is its effect on the amount that the customer owes. Until a refund is paid out, the workspace owes its amount to
 * the customer.
 */
function creditNoteSubject(creditNoteId: string): ExplanationSubject {
  return {
    includesEvent: ({ type, data }) =>
      type === 'CreditNoteIssued' &&
      (data as { note: { creditNoteId: string } }).note.creditNoteId === creditNoteId,
    includesTransaction: (transaction) => transaction.creditNoteId === creditNoteId,
    changesBalance: (key) => key.account === 'accounts_receivable',
    balanceHeading: 'owed',
    existsWithoutEvents: () => false,
  };
}

function accountSubject(code: AccountCode, detail: string | undefined): ExplanationSubject {
  const counts = (key: AccountKey): boolean =>
    key.account === code && (detail === undefined || key.detail === detail);
  return {
    includesEvent: () => false,
    includesTransaction: ({ postings }) => postings.some(counts),
    changesBalance: counts,
    balanceHeading: 'balance',
    existsWithoutEvents: (names) => detail === undefined || names.priceOrTaxRateName(detail) !== undefined,
  };
}
