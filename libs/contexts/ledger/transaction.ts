import { Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { Actor, RecordedEvent } from '#libs/kernel/domain';
import type { AccountCode, AccountKey } from './accounts.js';

/** One line of a transaction. `amount` is positive for a debit and negative for a credit. */
export interface Posting extends AccountKey {
  readonly amount: DecimalString;
}

/** A reference to the event that a transaction was posted for. */
export interface EventReference {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  /** The position of the event in the log of all events, as decimal digits. */
  readonly position: string;
  /** The business time: the time of the workspace's clock when the event was recorded. */
  readonly occurredAt: Instant;
  readonly actor: Actor;
}

/** Postings that take effect together and sum to zero. Amounts are in `currency`. The transaction is plain JSON. */
export interface LedgerTransaction {
  /** The event's id. The id of a transaction that takes effect after its event has the suffix `.1`, `.2`, …. */
  readonly id: string;
  readonly workspaceId: string;
  readonly event: EventReference;
  /**
   * The instant at which the transaction takes effect. Most transactions take effect at the event's time or later. An accrual takes effect
   * at the end of its month, earlier than its event.
   */
  readonly at: Instant;
  /** The date of the transaction, such as `2026-01-31`, in the time zone that its posting rule chose. */
  readonly date: string;
  readonly description: string;
  readonly currency: string;
  readonly customerId: string;
  /** The id of the invoice that the transaction belongs to. Null if the transaction belongs to no invoice. */
  readonly invoiceId: string | null;
  /** The number of the transaction's invoice, such as `INV-000042`. Null if the transaction belongs to no invoice. */
  readonly invoiceNumber: string | null;
  /**
   * The id of the credit note that the transaction belongs to. Null if the transaction belongs to no credit note. Null also for a
   * transaction that takes effect after its event.
   */
  readonly creditNoteId: string | null;
  readonly postings: readonly Posting[];
}

/** Makes a debit: a posting that increases assets and expenses. */
export function debitPosting(
  code: AccountCode,
  amount: Decimal | DecimalString,
  detail: string | null = null,
): Posting {
  return {
    account: code,
    detail,
    amount: (typeof amount === 'string' ? new Decimal(amount) : amount).toFixed(),
  };
}

/** Makes a credit: a posting that increases liabilities and income. */
export function creditPosting(
  code: AccountCode,
  amount: Decimal | DecimalString,
  detail: string | null = null,
): Posting {
  return debitPosting(code, new Decimal(amount).negated(), detail);
}

/** Returns the reference by which a transaction names its event. */
export function eventReferenceOf({ id, type, stream, position, metadata }: RecordedEvent): EventReference {
  const { occurredAt, actor } = metadata;
  return { id, type, stream, position: position.toString(), occurredAt, actor };
}

/** Compares transactions for sorting: first by the instant at which they take effect, then by the position of their event. */
export function compareTransactions(
  a: Pick<LedgerTransaction, 'at' | 'event'>,
  b: Pick<LedgerTransaction, 'at' | 'event'>,
): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return Number(BigInt(a.event.position) - BigInt(b.event.position));
}
