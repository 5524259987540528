import { Injectable } from '@nestjs/common';
import { addSeconds, type Instant } from '#libs/kernel/core';
import { Coupons } from '#libs/contexts/coupons';
import type { WalletEvent } from '#libs/contexts/credits';
import type { LicenseEvent } from '#libs/contexts/licenses';
import { withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import { Invoices, VoidedInvoiceNotifier, type InvoiceEvent } from '#libs/contexts/invoicing';
import {
  ProcessManager,
  reactByEventType,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import {
  hasLicensePrice,
  billingThresholdsOf,
  type Bill,
  type SubscriptionEvent,
  type SubscriptionItem,
} from '#libs/contexts/subscriptions';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { BillInvoicer } from './invoice/bill-invoicer.js';
import { DueChangeApplier } from './advance/due-change-applier.js';
import { CreditUsageInvoicer, type MovedUsageKey } from './measure/credit-usage-invoicer.js';
import { OverageInvoicer } from './invoice/overage-invoicer.js';
import { LicensedSubscriptionFinder } from './advance/licensed-subscription-finder.js';
import {
  BILLING_PROCESS_MANAGER,
  progressiveBillingTask,
  type ProgressiveBillingPayload,
} from './progressive/bill-progress-task.js';
import { ProgressiveInvoicer } from './progressive/progressive-invoicer.js';

interface Tasks {
  'issue-invoice': { bill: Bill };
  /** Applies the changes that are due for the subscription, usually the end of a period, and counts its licenses. */
  'pass-boundary': { subscriptionId: string };
  /** Counts a change of the customer's licenses in each subscription that charges for licenses. */
  'count-licenses': { customerId: string };
  /** Checks whether usage has reached the subscription's threshold. {@link ThresholdTaskScheduler} also stores this task. */
  'bill-progress': ProgressiveBillingPayload;
  /** Records on subscriptions that one of their invoices was voided. */
  'record-invoice-void': { invoiceId: string };
  /** Returns the coupon uses of a voided invoice, so that the coupons can be used again. */
  'return-coupons': { invoiceId: string };
  /** Makes an invoice for overage of prepaid credits, if a period or a subscription ends, or a pause begins, without a bill. */
  'invoice-overage': { subscriptionId: string; at: Instant };
  /** Returns the overage and the used credits on a voided invoice to the wallet, so that the next invoice has them. */
  'return-overage': { invoiceId: string };
  /** Returns to the wallet the credit usage that was reserved for an invoice but is missing from it, for example after a crash. */
  'return-left-out': MovedUsageKey;
}

/** The time, in seconds, after which an invoice should contain the credit usage that was reserved for it. */
const TAKEN_SECONDS = 600;

interface HasBill {
  readonly bill: Bill | null;
}

/**
 * Bills on a schedule. The process sets a timer for each instant at which a change of a subscription is due. The process creates an invoice
 * for each decided bill. A timer does nothing if its change was already applied.
 */
@Injectable()
export class BillingProcess extends ProcessManager<Tasks> {
  readonly name = BILLING_PROCESS_MANAGER;

  constructor(
    clock: WorkspaceClock,
    private readonly cycles: DueChangeApplier,
    private readonly invoicer: BillInvoicer,
    private readonly voided: VoidedInvoiceNotifier,
    private readonly invoices: Invoices,
    private readonly coupons: Coupons,
    private readonly progressive: ProgressiveInvoicer,
    private readonly creditUsage: CreditUsageInvoicer,
    private readonly overageInvoicer: OverageInvoicer,
    private readonly licensed: LicensedSubscriptionFinder,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<
    SubscriptionEvent | InvoiceEvent | LicenseEvent | WalletEvent,
    Tasks
  >({
    SubscriptionCreated: ({ data }) => termsTasks(data),
    SubscriptionAmended: ({ data }) => [
      ...termsTasks(data),
      ...(data.endsPeriod ? overageTasks(data, data.at) : []),
    ],
    SubscriptionDetailsChanged: ({ data: { subscriptionId, ownBillingThresholds } }) =>
      // Without thresholds, the task ends the watch for usage.
      ownBillingThresholds === undefined ? [] : [progressiveBillingTask({ subscriptionId })],
    SubscriptionStarted: ({ data }) => periodStartTasks(data),
    SubscriptionTrialEnded: ({ data }) => periodStartTasks(data),
    SubscriptionRenewed: ({ data }) => [...periodStartTasks(data), ...overageTasks(data, data.period.start)],
    SubscriptionResumed: ({ data }) => periodStartTasks(data),
    SubscriptionPaused: ({ data }) => [
      ...invoiceTasks(data),
      ...overageTasks(data, data.at),
      ...timerTasks(data, data.resumeAt),
    ],
    SubscriptionPauseScheduled: ({ data }) => timerTasks(data, data.pauseAt),
    SubscriptionResumptionScheduled: ({ data }) => timerTasks(data, data.resumeAt),
    SubscriptionAmendmentScheduled: ({ data }) => timerTasks(data, data.effectiveAt),
    SubscriptionCancellationScheduled: ({ data }) => timerTasks(data, data.cancelAt),
    SubscriptionUsageBilled: ({ data }) => invoiceTasks(data),
    SubscriptionCanceled: ({ data }) => [...invoiceTasks(data), ...overageTasks(data, data.at)],
    SubscriptionLicensesCounted: ({ data }) => invoiceTasks(data),
    LicenseAllocated: ({ data }) => licenseTasks(data),
    LicenseDeactivated: ({ data }) => licenseTasks(data),
    CreditOverageBilled: ({ data }) => takenTasks(data),
    CreditsUsedInvoiced: ({ data }) => takenTasks(data),
    InvoiceVoided: ({ data: { invoiceId } }) => [
      { name: 'record-invoice-void', payload: { invoiceId } },
      { name: 'return-coupons', payload: { invoiceId } },
      { name: 'return-overage', payload: { invoiceId } },
    ],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'issue-invoice': async ({ bill }, context) => {
      await withStreamCache(() => this.invoicer.ensureCreated(context, bill));
    },
    'pass-boundary': async ({ subscriptionId }, context) => {
      await withStreamCache(() => this.cycles.applyDueChanges(context, subscriptionId));
    },
    'count-licenses': async ({ customerId }, { workspaceId }) => {
      const ids = await this.licensed.idsOf(workspaceId, customerId);
      return {
        tasks: ids.map((id) => ({ name: 'pass-boundary', key: id, payload: { subscriptionId: id } })),
      };
    },
    'bill-progress': async ({ subscriptionId }, context) => {
      await this.progressive.billIfThresholdReached(context, subscriptionId);
    },
    'record-invoice-void': async ({ invoiceId }, context) => {
      await this.voided.notifySubscriptions(context, invoiceId);
    },
    'return-coupons': ({ invoiceId }, context) => this.returnCoupons(context, invoiceId),
    'invoice-overage': ({ subscriptionId, at }, context) =>
      this.overageInvoicer.createInvoice(context, subscriptionId, at),
    'return-overage': async ({ invoiceId }, context) => {
      await this.creditUsage.returnUsageOfVoidedInvoice(
        context,
        await this.invoices.require(context.workspaceId, invoiceId),
      );
    },
    'return-left-out': (taken, context) => this.returnLeftOut(context, taken),
  };

  /** If the invoice does not exist yet, the task looks for it again later. */
  private async returnLeftOut(context: CommandContext, taken: MovedUsageKey): Promise<TaskResult> {
    const find = () => this.invoices.find(context.workspaceId, taken.invoiceId);
    const isDone = await this.creditUsage.returnUsageOfCrashedMove(context, taken, find);
    return isDone ? {} : { performAgainAt: addSeconds(context.now, TAKEN_SECONDS) };
  }

  /** An interrupted recomputation may have reserved a coupon that the invoice does not list, so `discounts` are not checked. */
  private async returnCoupons(context: CommandContext, invoiceId: string): Promise<void> {
    const { customerId } = await this.invoices.require(context.workspaceId, invoiceId);
    await this.coupons.returnUses(context, customerId, invoiceId);
  }
}

/**
 * The tasks to store after the terms of a subscription have changed. Licenses that were allocated while the terms changed can be missing
 * from the new terms, so a task counts the licenses again.
 */
function termsTasks(
  data: Parameters<typeof periodStartTasks>[0] &
    Parameters<typeof thresholdTasks>[0] & { items: SubscriptionItem[] },
): TaskRequest<Tasks>[] {
  const { subscriptionId, items } = data;
  const countsLicenses = hasLicensePrice(items.map(({ price }) => price));
  return [
    ...periodStartTasks(data),
    ...thresholdTasks(data),
    ...(countsLicenses
      ? [{ name: 'pass-boundary' as const, key: 'count-licenses', payload: { subscriptionId } }]
      : []),
  ];
}

/** One command moves a wallet's usage to an invoice, and all events of this command share one task. */
function takenTasks({
  customerId,
  creditType,
  invoiceId,
  at,
}: MovedUsageKey & { at: Instant }): TaskRequest<Tasks>[] {
  return [
    {
      name: 'return-left-out',
      subject: `${invoiceId} ${creditType}`,
      payload: { customerId, creditType, invoiceId },
      dueAt: addSeconds(at, TAKEN_SECONDS),
    },
  ];
}

function licenseTasks({ customerId }: { customerId: string }): TaskRequest<Tasks>[] {
  return [{ name: 'count-licenses', payload: { customerId } }];
}

/**
 * The tasks to store at the beginning of a billing period. One of the tasks creates the invoice of the period's bill, and the other task is
 * the timer for the period's end.
 */
function periodStartTasks(
  data: { subscriptionId: string; period: { end: Instant } } & HasBill,
): TaskRequest<Tasks>[] {
  return [...invoiceTasks(data), ...timerTasks(data, data.period.end)];
}

function invoiceTasks({ bill }: HasBill): TaskRequest<Tasks>[] {
  return bill === null ? [] : [{ name: 'issue-invoice', payload: { bill } }];
}

/**
 * Returns the task that invoices overage of prepaid credits if there is no bill. If there is a bill, the invoice of the bill contains the
 * overage.
 */
function overageTasks(
  { subscriptionId, bill }: { subscriptionId: string } & HasBill,
  at: Instant,
): TaskRequest<Tasks>[] {
  return bill === null ? [{ name: 'invoice-overage', payload: { subscriptionId, at } }] : [];
}

function timerTasks(
  { subscriptionId }: { subscriptionId: string },
  dueAt: Instant | null,
): TaskRequest<Tasks>[] {
  return dueAt === null ? [] : [{ name: 'pass-boundary', payload: { subscriptionId }, dueAt }];
}

/**
 * The task for the first check of a subscription's billing threshold, if it has one. The first threshold check also starts to watch for
 * later usage.
 */
function thresholdTasks(
  subscription: Parameters<typeof billingThresholdsOf>[0] & { subscriptionId: string },
): TaskRequest<Tasks>[] {
  if (billingThresholdsOf(subscription) === null) return [];
  const { subscriptionId } = subscription;
  return [progressiveBillingTask({ subscriptionId })];
}
