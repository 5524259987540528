import { Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { Actor, RecordedEvent } from '#libs/kernel/domain';
import type { AccountCode, AccountKey } from './accounts.js';

/** One line of a transaction. `amount` is a debit above zero and a credit below. */
export interface Posting extends AccountKey {
  readonly amount: DecimalString;
}

/** The event that something was posted for. */
export interface EventReference {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  /** Its place in the whole log, in digits. */
  readonly position: string;
  /** Business time: the workspace's clock when it happened. */
  readonly occurredAt: Instant;
  readonly actor: Actor;
}

/** Postings that take effect together, and whose sum is zero. Amounts are in `currency`. Plain JSON. */
export interface LedgerTransaction {
  /** The event's id; with `.1`, `.2`, … behind it for what takes effect later than the event. */
  readonly id: string;
  /** The workspace. */
  readonly workspaceId: string;
  readonly event: EventReference;
  /** When it takes effect: the event's time, or later. */
  readonly at: Instant;
  /** The day of the books that it is on, by the calendar that dates its invoice: `2026-01-31`. */
  readonly date: string;
  readonly description: string;
  readonly currency: string;
  readonly customerId: string;
  /** The invoice that it is about; null if it is about none. */
  readonly invoiceId: string | null;
  /** The credit note on that invoice that it is about; null if it is about none. */
  readonly creditNoteId: string | null;
  readonly postings: readonly Posting[];
}

/** A posting on the left side, which adds to what is owned or spent. */
export function debit(
  code: AccountCode,
  amount: Decimal | DecimalString,
  priceId: string | null = null,
): Posting {
  return {
    account: code,
    priceId,
    amount: (typeof amount === 'string' ? new Decimal(amount) : amount).toFixed(),
  };
}

/** A posting on the right side, which adds to what is owed or earned. */
export function credit(
  code: AccountCode,
  amount: Decimal | DecimalString,
  priceId: string | null = null,
): Posting {
  return debit(code, new Decimal(amount).negated(), priceId);
}

/** What a posting names of its event. */
export function referenceTo({ id, type, stream, position, metadata }: RecordedEvent): EventReference {
  const { occurredAt, actor } = metadata;
  return { id, type, stream, position: position.toString(), occurredAt, actor };
}

/** The order of the books: by the time at which it takes effect; at one moment the event that came first goes first. */
export function inOrder(
  a: Pick<LedgerTransaction, 'at' | 'event'>,
  b: Pick<LedgerTransaction, 'at' | 'event'>,
): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return Number(BigInt(a.event.position) - BigInt(b.event.position));
}
