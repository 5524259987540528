import type { RecordedEvent } from '#libs/kernel/domain';
import type { LedgerTransaction } from '#libs/contexts/ledger';
import { CliError } from '../cli-error.js';

/** The customer that the books are limited to by `--customer`; undefined: all of them. */
export class AskedCustomer {
  private isThere = false;

  constructor(private readonly customerId: string | undefined) {}

  /** Looks whether an event of the workspace tells that there is such a customer. */
  note({ type, data }: RecordedEvent): void {
    if (type === 'CustomerCreated' && (data as { customerId: string }).customerId === this.customerId)
      this.isThere = true;
  }

  concerns({ customerId }: LedgerTransaction): boolean {
    return this.customerId === undefined || customerId === this.customerId;
  }

  /** A {@link CliError} if a customer is asked for that none of the events told of. */
  requireThere(workspace: string, position: bigint): void {
    if (this.customerId === undefined || this.isThere) return;
    throw new CliError(
      `--customer "${this.customerId}" must be the id of a customer: workspace ${workspace} had none of this id by position ${position}`,
    );
  }
}
