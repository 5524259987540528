import { Injectable } from '@nestjs/common';
import { OpenInvoiceSettler, PaymentRetrier } from '#libs/contexts/collection';
import {
  amountToPay,
  Invoices,
  type Invoice,
  type InvoiceEvent,
  type UnpaidSubscriptionAction,
} from '#libs/contexts/invoicing';
import { addSeconds, type Instant } from '#libs/kernel/core';
import { AggregateStore, followUpContext, idFor, type CommandContext } from '#libs/kernel/event-store';
import {
  ProcessManager,
  reactByEventType,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { debtDecider, debtId, type OverdueDebt, type OverdueInvoice } from './debt.js';
import type { DebtRemovalReason, DunningEvent, InvoiceStep } from './events.js';
import { overdueState, type OverdueState } from './overdue.js';
import { CurrentDunningPolicy } from './policies/current-dunning-policy.js';

/**
 * The number of seconds after the due date of an invoice at which the process checks whether the invoice is overdue. Because of this delay,
 * an invoice that is due when it is opened is charged before the check. The days of the dunning steps are counted from the due date, not
 * from the check.
 */
const REVIEW_SECONDS = 3_600;
/**
 * The time after which a step that could not be taken is tried again. A step that is late by less than an hour does not move the others.
 */
const STEP_WAIT_SECONDS = 300;

/** A step of a process. Tasks of earlier versions also have the number of the step, which is not needed. */
interface StepTask {
  customerId: string;
  currency: string;
  processId: string;
}

interface Tasks {
  /** Records whether an invoice is overdue. */
  'review-invoice': { invoiceId: string };
  'take-step': StepTask;
  'apply-to-subscriptions': {
    invoiceIds: readonly string[];
    action: Exclude<UnpaidSubscriptionAction, 'none'>;
  };
}

/** Finds overdue invoices, and takes the steps of their dunning when they are due, by the workspace's clock. */
@Injectable()
export class DunningProcess extends ProcessManager<Tasks> {
  readonly name = 'dunning';

  constructor(
    clock: WorkspaceClock,
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly policy: CurrentDunningPolicy,
    private readonly retrier: PaymentRetrier,
    private readonly settler: OpenInvoiceSettler,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<InvoiceEvent | DunningEvent, Tasks>({
    InvoiceOpened: ({ data: { invoiceId, dueDate } }) => [
      reviewTask(invoiceId, addSeconds(dueDate, REVIEW_SECONDS)),
    ],
    PaymentFailed: ({ data }) => [reviewTask(data.invoiceId)],
    PaymentActionRequired: ({ data }) => [reviewTask(data.invoiceId)],
    PaymentRetrySkipped: ({ data }) => [reviewTask(data.invoiceId)],
    InvoicePaid: ({ data }) => [reviewTask(data.invoiceId)],
    // The invoice is owed again.
    RecordedPaymentReversed: ({ data }) => [reviewTask(data.invoiceId)],
    InvoiceVoided: ({ data }) => [reviewTask(data.invoiceId)],
    InvoiceMarkedUncollectible: ({ data }) => [reviewTask(data.invoiceId)],
    CreditNoteIssued: ({ data }) => [reviewTask(data.invoiceId)],
    CreditNoteVoided: ({ data }) => [reviewTask(data.invoiceId)],
    InvoiceReduced: ({ data }) => [reviewTask(data.invoiceId)],
    DunningStarted: ({ data }) => stepTasks(data),
    // These can change the time of the next step. The task for the time before then finds no due step.
    DunningInvoiceAdded: ({ data }) => stepTasks(data),
    DunningInvoiceSettled: ({ data }) => stepTasks(data),
    DunningStepTaken: ({ data }) => [...stepTasks(data), ...applyTasks(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'review-invoice': ({ invoiceId }, context) => this.review(context, invoiceId),
    'take-step': (task, context) => this.takeStep(context, task),
    'apply-to-subscriptions': async ({ invoiceIds, action }, context) => {
      for (const invoiceId of invoiceIds)
        await this.retrier.pauseOrCancelSubscriptions(followUpContext(context, invoiceId), invoiceId, action);
    },
  };

  /**
   * Adds the invoice to its customer's debt if it is overdue. Removes the invoice from the debt if it is not overdue any more. Several
   * reviews of an invoice can run at the same time, in any order. Each review reads the invoice again after its write, so the last write
   * matches the last state.
   */
  private async review(context: CommandContext, invoiceId: string): Promise<void> {
    const { workspaceId, now: at } = context;
    let recorded: DebtRemovalReason | 'overdue' | undefined;
    for (let round = 0; ; round++) {
      const invoice = await this.invoices.require(workspaceId, invoiceId);
      const state = overdueState(invoice, at);
      const found = 'overdueSince' in state ? 'overdue' : state.reasonNotOverdue;
      if (found === recorded || found === 'early') return;
      // A repeated task can find another state than before, so the state is in the name of the command.
      await this.record(followUpContext(context, `${found} ${round}`), invoice, state);
      recorded = found;
    }
  }

  /** Records on the customer's debt whether the invoice is overdue. */
  private async record(
    context: CommandContext,
    { invoiceId, customerId, currency }: Invoice,
    state: OverdueState,
  ): Promise<void> {
    const { workspaceId, now: at } = context;
    const key = { customerId, currency };
    const id = debtId(workspaceId, key);
    if ('overdueSince' in state) {
      await this.aggregates.execute(debtDecider, id, context, {
        ...({ type: 'AddInvoice', ...key, at, invoiceId, since: state.overdueSince } as const),
        processId: idFor(context, 'dun', invoiceId),
        policy: await this.policy.ofWorkspace(workspaceId),
      });
    } else if (state.reasonNotOverdue !== 'early') {
      // Most invoices were never overdue, so the debt does not contain them.
      if (!(await this.aggregates.load(debtDecider, id))?.invoiceIds.includes(invoiceId)) return;
      const command = {
        type: 'RemoveInvoice',
        ...key,
        at,
        invoiceId,
        reason: state.reasonNotOverdue,
      } as const;
      await this.aggregates.execute(debtDecider, id, context, command);
    }
  }

  /**
   * Takes the step, if an invoice of the debt is overdue. While a card is charged for each of these invoices, the step waits: no other
   * event may follow that leads to the step.
   */
  private async takeStep(context: CommandContext, task: StepTask): Promise<TaskResult> {
    const { workspaceId, now: at } = context;
    const id = debtId(workspaceId, task);
    const debt = await this.aggregates.load(debtDecider, id);
    if (!debt) return {};
    // A balance pays the invoices before a reminder names them.
    if (isStepDue(task, debt, at)) await this.settler.payFromBalance(context, task);
    const [policy, invoices] = await Promise.all([
      this.policy.ofWorkspace(workspaceId),
      this.stillOverdue(workspaceId, debt.invoiceIds, at),
    ]);
    const { customerId, currency, processId } = task;
    const mailId = idFor(context, 'mail', processId);
    const { state } = await this.aggregates.execute(debtDecider, id, context, {
      ...({ type: 'TakeStep', customerId, currency, processId, at, mailId, invoices } as const),
      isPolicyEnabled: policy.enabled,
    });
    return isStepDue(task, state, at) ? { performAgainAt: addSeconds(at, STEP_WAIT_SECONDS) } : {};
  }

  /**
   * The invoices that are overdue at this moment. An invoice that was paid a moment ago is left out, even if its review has not run yet. An
   * invoice for which a card is being charged is left out too.
   */
  private async stillOverdue(
    workspaceId: string,
    invoiceIds: readonly string[],
    at: Instant,
  ): Promise<OverdueInvoice[]> {
    const invoices = await Promise.all(
      invoiceIds.map((invoiceId) => this.invoices.require(workspaceId, invoiceId)),
    );
    return invoices
      .filter((invoice) => 'overdueSince' in overdueState(invoice, at))
      .map((invoice) => ({ invoiceId: invoice.invoiceId, amount: amountToPay(invoice) }));
  }
}

/** Tells whether a step of the task's process is due and was not taken. */
function isStepDue({ processId }: StepTask, debt: OverdueDebt, at: Instant): boolean {
  const { status, nextStepAt } = debt;
  return status === 'active' && debt.processId === processId && nextStepAt !== null && nextStepAt <= at;
}

function reviewTask(invoiceId: string, dueAt?: Instant): TaskRequest<Tasks> {
  return { name: 'review-invoice', payload: { invoiceId }, ...(dueAt === undefined ? {} : { dueAt }) };
}

function stepTasks({
  customerId,
  currency,
  processId,
  nextStepAt: dueAt,
}: StepTask & { nextStepAt?: Instant | null }): TaskRequest<Tasks>[] {
  if (dueAt === undefined || dueAt === null) return [];
  return [{ name: 'take-step', payload: { customerId, currency, processId }, dueAt }];
}

/** The pauses and cancellations of a step, for the subscriptions of those invoices whose own step it is. */
function applyTasks({
  invoiceIds,
  subscription,
  due = invoiceIds.map((invoiceId) => ({ invoiceId, subscription })),
}: {
  invoiceIds: readonly string[];
  subscription: UnpaidSubscriptionAction;
  due?: readonly Pick<InvoiceStep, 'invoiceId' | 'subscription'>[];
}): TaskRequest<Tasks>[] {
  return (['pause', 'cancel'] as const).flatMap((action) => {
    const changed = due.filter((one) => one.subscription === action).map(({ invoiceId }) => invoiceId);
    if (changed.length === 0) return [];
    return [{ name: 'apply-to-subscriptions', payload: { invoiceIds: changed, action } } as const];
  });
}
