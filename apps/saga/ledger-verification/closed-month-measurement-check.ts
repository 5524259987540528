import pMap from 'p-map';
import { AppError } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import { ClosedMonthAudit, type AuditedSubscription, type RevenueMonthEvent } from '#libs/contexts/revenue';
import type { LedgerDifference } from '#libs/outputs/books';
import type { ReadModelSnapshot } from './read-model-snapshot.js';
import type { VerifySources } from './verify-sources.js';

const AT_A_TIME = 4;
const PAGE = 500;

/**
 * Measures the unbilled revenue of each subscription again, as of the closing of each month, and compares it with the accruals. Each
 * subscription is read once for all closed months of its workspace.
 */
export class ClosedMonthMeasurementCheck {
  private readonly audit: ClosedMonthAudit;
  private readonly closings = new Map<string, Recorded<RevenueMonthEvent>[]>();

  constructor(
    { streams, openPast }: Pick<VerifySources, 'streams' | 'openPast'>,
    private readonly readSide: ReadModelSnapshot,
  ) {
    this.audit = new ClosedMonthAudit(streams, openPast);
  }

  /** Remembers the closed months of the log. */
  observe(event: RecordedEvent): void {
    if (!isMonthClosing(event)) return;
    const { workspaceId } = event.data;
    this.closings.set(workspaceId, [...(this.closings.get(workspaceId) ?? []), event]);
  }

  /** Returns the differences of all subscriptions in the observed months. Throws the reason of `signal` if it is aborted. */
  async finish(signal: AbortSignal): Promise<LedgerDifference[]> {
    const found: LedgerDifference[][] = [];
    for (const [workspaceId, closings] of this.closings)
      for (let after = ''; ;) {
        signal.throwIfAborted();
        const page = await this.readSide.findRows<{ id: string }>(
          'SELECT id FROM read.subscriptions WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3',
          [workspaceId, after, PAGE],
        );
        const check = ({ id }: { id: string }) => this.ofSubscription(workspaceId, id, closings);
        found.push(...(await pMap(page, check, { concurrency: AT_A_TIME })));
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
    return found.flat();
  }

  private async ofSubscription(
    workspaceId: string,
    subscriptionId: string,
    closings: readonly Recorded<RevenueMonthEvent>[],
  ): Promise<LedgerDifference[]> {
    const found: LedgerDifference[] = [];
    const subscription = this.audit.read(workspaceId, subscriptionId);
    subscription.catch(() => undefined);
    for (const closing of closings)
      for (const problem of await this.problems(closing, subscription))
        found.push({
          position: closing.position,
          subject: `closed month ${closing.data.month} of ${workspaceId}`,
          problem: `${subscriptionId} ${problem}`,
        });
    return found;
  }

  private async problems(
    closing: Recorded<RevenueMonthEvent>,
    subscription: Promise<AuditedSubscription>,
  ): Promise<string[]> {
    try {
      return await this.audit.problems(closing, await subscription);
    } catch (error) {
      if (error instanceof AppError && error.status === 503) throw error;
      if (error instanceof AppError || error instanceof RangeError)
        return [`cannot be measured again: ${error.message}`];
      throw error;
    }
  }
}

/** Tells whether the event closed a month. */
function isMonthClosing(event: RecordedEvent): event is Recorded<RevenueMonthEvent> {
  return event.type === ('RevenueMonthClosed' satisfies RevenueMonthEvent['type']);
}
