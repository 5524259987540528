import type { RecordedEvent } from '#libs/kernel/domain';
import { decidedBill, type Bill } from '#libs/contexts/subscriptions';

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
    if (bill) this.bills.set(nameOf(bill), { bill, event });
  }

  /** A subscription's bill of an invoice that has come by, for the last time; undefined if it is not kept. */
  take(of: Pick<Bill, 'invoiceId' | 'subscriptionId'>): BillEvent | undefined {
    return this.takeNamed(nameOf(of));
  }

  /** Takes the oldest of more than can be kept. */
  takeSurplus(): BillEvent[] {
    const surplus = [...this.bills.keys()].slice(0, Math.max(0, this.bills.size - this.limit));
    return surplus.map((name) => this.takeNamed(name)!);
  }

  /** Takes all. */
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

/** Several subscriptions can have a bill of one invoice. */
function nameOf({ invoiceId, subscriptionId }: Pick<Bill, 'invoiceId' | 'subscriptionId'>): string {
  return `${invoiceId} ${subscriptionId}`;
}
