import type { RecordedEvent } from '#libs/event-store';
import { decidedBill, type Bill } from '#libs/subscriptions';

/** A bill with the event that decided it. */
export interface BillEvent {
  readonly bill: Bill;
  readonly event: RecordedEvent;
}

/** More of them are looked up when they are wanted: what is kept here does not grow with the log. */
const LIMIT = 10_000;

/** The bills that were decided, and whose invoices have not come by yet. */
export class OpenBills {
  private readonly bills = new Map<string, BillEvent>();

  constructor(private readonly limit = LIMIT) {}

  /** Keeps the bill that the event decided, if it did. */
  note(event: RecordedEvent): void {
    const bill = decidedBill(event);
    if (bill) this.bills.set(bill.invoiceId, { bill, event });
  }

  /** The bill of an invoice that has come by, for the last time; undefined if it is not kept. */
  take(invoiceId: string): BillEvent | undefined {
    const known = this.bills.get(invoiceId);
    this.bills.delete(invoiceId);
    return known;
  }

  /** Takes the oldest of more than can be kept. */
  takeSurplus(): BillEvent[] {
    const surplus = [...this.bills.keys()].slice(0, Math.max(0, this.bills.size - this.limit));
    return surplus.map((invoiceId) => this.take(invoiceId)!);
  }

  /** Takes all. */
  takeAll(): BillEvent[] {
    const all = [...this.bills.values()];
    this.bills.clear();
    return all;
  }
}
