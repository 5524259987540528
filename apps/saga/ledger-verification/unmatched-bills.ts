import type { RecordedEvent } from '#libs/kernel/domain';
import { billOfEvent, type Bill } from '#libs/contexts/subscriptions';

/** A bill with the event that contains it. */
export interface BillEvent {
  readonly bill: Bill;
  readonly event: RecordedEvent;
}

/**
 * The maximum number of bills in memory, so that memory does not grow with the log. Bills beyond the limit are read again from their
 * streams when they are needed.
 */
const LIMIT = 10_000;

/** The bills whose invoices have not been read from the log yet. */
export class UnmatchedBills {
  private readonly bills = new Map<string, BillEvent>();

  constructor(private readonly limit = LIMIT) {}

  /** Stores the bill of the event, if the event has a bill. */
  observe(event: RecordedEvent): void {
    const bill = billOfEvent(event);
    if (bill) this.bills.set(nameOf(bill), { bill, event });
  }

  /** Removes and returns the bill of a subscription for an invoice; undefined if this bill is not in memory. */
  take(of: Pick<Bill, 'invoiceId' | 'subscriptionId'>): BillEvent | undefined {
    return this.takeNamed(nameOf(of));
  }

  /** Removes and returns the oldest bills beyond the limit. */
  takeBeyondLimit(): BillEvent[] {
    const surplus = [...this.bills.keys()].slice(0, Math.max(0, this.bills.size - this.limit));
    return surplus.map((name) => this.takeNamed(name)!);
  }

  /** Removes and returns all bills. */
  takeAll(): BillEvent[] {
    const all = [...this.bills.values()];
    this.bills.clear();
    return all;
  }

  private takeNamed(name: string): BillEvent | undefined {
    const known = this.bills.get(name);
    this.bills.delete(name);
    return known;
  }
}

/**
 * The key of a bill. The key contains the invoice id and the subscription id, since one invoice can have bills of several subscriptions.
 */
function nameOf({ invoiceId, subscriptionId }: Pick<Bill, 'invoiceId' | 'subscriptionId'>): string {
  return `${invoiceId} ${subscriptionId}`;
}
