import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import pMap from 'p-map';
import { AppError } from '#libs/kernel/core';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { DueChangeApplier } from '../advance/due-change-applier.js';
import { billingRunDecider } from './billing-run.js';
import type { BillingFailure, BillingRun } from './events.js';
import { totalsByCurrency, type BillingRunInvoice, type BillingRunReport } from './present.js';

/**
 * The maximum number of subscriptions that are billed at the same time. A larger number is not faster, because a run mostly waits for the
 * databases.
 */
const MAX_CONCURRENT_SUBSCRIPTIONS = 32;
const MAX_STORED_FAILURES = 100;

/**
 * Bills every subscription that is due now. `candidateIds` are the ids of the subscriptions that may be due. Each subscription's stream
 * determines what is due, so a run can overlap with scheduled billing and other runs. `scope` has no effect on the run; it is only stored
 * with the run. `earlier` is what earlier attempts of the same command did. If they finished the run, nothing is billed.
 */
export class RunBilling extends Command<BillingRunReport> {
  constructor(
    readonly context: CommandContext,
    readonly candidateIds: AsyncIterable<string>,
    readonly scope: Pick<BillingRun, 'customerId' | 'subscriptionId'>,
    readonly earlier?: BillingRunReport,
  ) {
    super();
  }
}

/** The id of the billing run that a command makes. */
export function billingRunIdOf(context: CommandContext): string {
  return idFor(context, 'run');
}

@CommandHandler(RunBilling)
export class RunBillingHandler implements ICommandHandler<RunBilling> {
  private readonly logger = new Logger('billing run');

  constructor(
    private readonly cycles: DueChangeApplier,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
  ) {}

  async execute({
    context,
    candidateIds: candidates,
    scope,
    earlier,
  }: RunBilling): Promise<BillingRunReport> {
    if (earlier && earlier.finishedAt !== null) return earlier;
    const reference = { runId: billingRunIdOf(context), trigger: 'manual' } as const;
    const found = new Map<string, BillingRunInvoice>();
    for (const invoice of earlier?.invoices ?? []) found.set(invoice.invoiceId, invoice);
    const failures: BillingFailure[] = [];
    const billed = new Set<string>();
    const bill = async (subscriptionId: string): Promise<void> => {
      try {
        const { advancedSubscriptionIds: advancedIds, invoices } = await this.cycles.applyDueChanges(
          context,
          subscriptionId,
          reference,
        );
        for (const id of advancedIds) billed.add(id);
        for (const invoice of invoices) found.set(invoice.invoiceId, invoice);
      } catch (error) {
        failures.push({ subscriptionId, ...this.publicFailure(error, subscriptionId) });
      }
    };
    await pMap(candidates, bill, { concurrency: MAX_CONCURRENT_SUBSCRIPTIONS });
    const made = [...found.values()];
    const run: BillingRun = {
      runId: reference.runId,
      ...scope,
      startedAt: earlier?.startedAt ?? context.now,
      finishedAt: await this.clock.now(context.workspaceId),
      subscriptions: (earlier?.subscriptions ?? 0) + billed.size,
      invoices: made.length,
      failed: failures.length,
      failures: failures.slice(0, MAX_STORED_FAILURES),
    };
    const id = aggregateId(context.workspaceId, run.runId);
    await this.aggregates.execute(billingRunDecider, id, context, { type: 'FinishBillingRun', run });
    return {
      ...run,
      ...reference,
      invoiceCount: made.length,
      totals: totalsByCurrency(made),
      invoices: made,
    };
  }

  /** Returns the code and the message that the client sees for a failure. */
  private publicFailure(error: unknown, subscriptionId: string): Omit<BillingFailure, 'subscriptionId'> {
    if (error instanceof AppError) return { code: error.code, error: error.message };
    this.logger.error(`billing ${subscriptionId} failed: ${(error as Error).stack}`);
    return {
      code: 'internal_error',
      error: 'Something went wrong on our side; billing will try again automatically',
    };
  }
}
