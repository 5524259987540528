import type { RecordedEvent } from '#libs/kernel/domain';
import type { LedgerTransaction } from '#libs/contexts/ledger';
import { CliError } from '../cli-error.js';

/** The filter of the option `--customer`, which limits the books to one customer. Without the option, the filter accepts every customer. */
export class LedgerCustomerFilter {
  private isThere = false;

  constructor(private readonly customerId: string | undefined) {}

  /** Remembers that the customer exists if the event is the `CustomerCreated` of this customer. */
  rememberIfCreated({ type, data }: RecordedEvent): void {
    if (type === 'CustomerCreated' && (data as { customerId: string }).customerId === this.customerId)
      this.isThere = true;
  }

  matches({ customerId }: LedgerTransaction): boolean {
    return this.customerId === undefined || customerId === this.customerId;
  }

  /** Throws a {@link CliError} if `--customer` names a customer that no event created. */
  requireCustomerExists(workspace: string, position: bigint): void {
    if (this.customerId === undefined || this.isThere) return;
    throw new CliError(
      `--customer "${this.customerId}" must be the id of a customer: workspace ${workspace} has no customer with this id up to position ${position}`,
    );
  }
}
