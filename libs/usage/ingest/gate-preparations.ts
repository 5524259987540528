import { Unavailable } from '#libs/kernel/core';
import { errorForSender } from './group-committer.js';
import type { UnreadyCustomer } from './usage-gate.js';

/** The maximum number of usage rows that wait until the gate is prepared. If more rows wait, an error is better than a growing queue. */
const MAX_WAITING_ROWS = 50_000;

/** Names a customer. */
type CustomerKey = Pick<UnreadyCustomer, 'workspaceId' | 'customerId'>;

/** The outcome of a row that was not stored because the gate must first be prepared for its customer. */
export interface NotReadyOutcome {
  /** The promise resolves when the gate is prepared for the customer. The promise rejects if the gate cannot be prepared now. */
  readonly prepared: Promise<void>;
}

/**
 * Prepares the usage gate for customers. The gate decides whether an event may be stored. All waiting usage of a customer shares one
 * preparation, and usage of other customers does not wait.
 */
export class GatePreparations {
  private readonly running = new Map<string, NotReadyOutcome>();
  private waitingRows = 0;

  /** Begins a preparation for each of the customers that has none. Returns a function that finds the preparation for a row's customer. */
  beginPreparations(
    customers: readonly UnreadyCustomer[],
  ): (row: CustomerKey) => NotReadyOutcome | undefined {
    const begun = new Map(customers.map((customer) => [idOf(customer), this.beginOne(customer)]));
    return (row) => begun.get(idOf(row));
  }

  /** Returns the running preparation for a row's customer. */
  runningPreparationFor(row: CustomerKey): NotReadyOutcome | undefined {
    return this.running.size === 0 ? undefined : this.running.get(idOf(row));
  }

  /**
   * Waits for the preparations of rows. The list `ofRows` has one entry for each row. Returns false if the preparations last longer than
   * `millis`; they then continue in the background. Rejects with the error of a failed preparation, and with Unavailable if too many rows
   * wait.
   */
  async wait(ofRows: readonly NotReadyOutcome[], millis: number): Promise<boolean> {
    if (this.waitingRows + ofRows.length > MAX_WAITING_ROWS)
      throw new Unavailable(
        'usage_overloaded',
        'Too much usage waits for a change of its wallet or limit; send it again shortly, with the same idempotency keys',
      );
    this.waitingRows += ofRows.length;
    const tooLong = Promise.withResolvers<false>();
    const timer = setTimeout(() => tooLong.resolve(false), millis);
    try {
      const prepared = Promise.all(new Set(ofRows.map((row) => row.prepared))).then(() => true);
      return await Promise.race([prepared, tooLong.promise]);
    } catch (error) {
      throw errorForSender(error);
    } finally {
      clearTimeout(timer);
      this.waitingRows -= ofRows.length;
    }
  }

  private beginOne(customer: UnreadyCustomer): NotReadyOutcome {
    const id = idOf(customer);
    const before = this.running.get(id);
    if (before) return before;
    const prepared = customer.prepare().finally(() => this.running.delete(id));
    // The callers that wait for the preparation handle the error.
    prepared.catch(() => undefined);
    this.running.set(id, { prepared });
    return { prepared };
  }
}

function idOf({ workspaceId, customerId }: CustomerKey): string {
  return `${workspaceId} ${customerId}`;
}
