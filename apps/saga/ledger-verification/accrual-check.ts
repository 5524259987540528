import { AppError } from '#libs/kernel/core';
import type { StreamReader } from '#libs/kernel/event-store';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import { AccrualAudit, type RevenueAccrualEvent } from '#libs/contexts/revenue';
import type { LedgerDifference } from '#libs/outputs/books';
import type { LedgerRowsCheck } from './ledger-rows-check.js';
import type { VerifySources } from './verify-sources.js';

/** Computes the accruals of unbilled revenue again, and compares the ledger's rows with them. */
export class AccrualCheck {
  private readonly audit: AccrualAudit;
  private readonly streams: StreamReader;

  constructor(
    { streams, issuedInvoices: issued }: Pick<VerifySources, 'streams' | 'issuedInvoices'>,
    private readonly rows: LedgerRowsCheck,
  ) {
    this.streams = streams;
    this.audit = new AccrualAudit(streams, issued);
  }

  /**
   * Returns the problems of an accrual. For the first accrual of a subscription or a wallet, also returns the problems of the ledger rows
   * of all its accruals.
   */
  async check(event: Recorded<RevenueAccrualEvent>): Promise<LedgerDifference[]> {
    const { workspaceId } = event.metadata;
    const { subscriptionId, customerId, overage, month } = event.data;
    const source = subscriptionId ?? `the ${overage?.creditType} of ${customerId}`;
    const subject = `accrual of ${source} of ${workspaceId} for ${month}`;
    const problems = await this.problems(event);
    const { stream, position } = event;
    const rows =
      event.revision === 0n
        ? await this.rows.checkStream({
            stream,
            position,
            events: await this.streams.read(stream),
            subject: `ledger entries of the accruals of ${source} of ${workspaceId}`,
          })
        : [];
    return [...problems.map((problem) => ({ position, subject, problem })), ...rows];
  }

  private async problems(event: Recorded<RevenueAccrualEvent>): Promise<string[]> {
    try {
      return await this.audit.problems(event.metadata.workspaceId, event);
    } catch (error) {
      if (error instanceof AppError && error.status === 503) throw error;
      if (error instanceof AppError || error instanceof RangeError)
        return [`cannot be computed again: ${error.message}`];
      throw error;
    }
  }
}

/** Tells whether the event accrues revenue. */
export function isRevenueAccrual(event: RecordedEvent): event is Recorded<RevenueAccrualEvent> {
  return event.type === ('RevenueAccrued' satisfies RevenueAccrualEvent['type']);
}
