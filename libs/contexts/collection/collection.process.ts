import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { BalanceEvent } from '#libs/contexts/balances';
import { paysWhatWasDeclined, type CustomerEvent, type PaymentMethodPurpose } from '#libs/contexts/customers';
import { InvalidRequest, Unavailable, type DecimalString } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import { followUpContext, withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import {
  endOfRetries,
  Invoices,
  plannedRetryAt,
  type Invoice,
  type InvoiceEvent,
  type RetryPlan,
  type UnpaidSubscriptionAction,
} from '#libs/contexts/invoicing';
import { isAmountRefusal } from '#libs/rating';
import { ReadModelProgress } from '#libs/kernel/projection';
import { PaymentGateways } from '#libs/contexts/payments';
import {
  ProcessManager,
  reactByEventType,
  waitWhileRefused,
  type TaskHandlers,
  type TaskRequest,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { AddedMethodPayer } from './added-method-payer.js';
import { CompletePayment } from './commands/complete-payment.js';
import { PayInvoice } from './commands/pay-invoice.js';
import { OpenInvoiceFinder, OpenInvoiceSettler } from './open-invoice-settler.js';
import { OverdueInvoiceRecorder } from './overdue-invoice-recorder.js';
import { DeclinedInvoiceFinder } from './declined-invoice-finder.js';
import { InvoicePayments } from './invoice-payments.js';
import { PaymentRetrier } from './payment-retrier.js';
import { SmallAmountCarrier } from './small-amount-carrier.js';

/**
 * The maximum time for which a task waits until the list of invoices is current. If the list is still behind then, the task is repeated
 * later.
 */
const READ_MODEL_WAIT_MILLIS = 5_000;

/** What an invoice gave back to the balance. */
interface GivenBack {
  invoiceId: string;
  amount: DecimalString;
}

interface Tasks {
  'collect-invoice': { invoiceId: string };
  /** Cancels, at the payment gateway, the charge of a voided invoice that waits for the customer's confirmation. */
  'cancel-waiting-charge': { invoiceId: string };
  'complete-payment': { invoiceId: string; attemptId: string };
  /** Records, on the invoice's subscriptions, whether the invoice is overdue. */
  'record-payment-status': { invoiceId: string };
  /** Makes the payment retry that was planned after a failed attempt. */
  'retry-payment': { invoiceId: string; attemptId: string };
  /** Ends the payment retries that were planned after a failed attempt. */
  'end-retries': { invoiceId: string; attemptId: string };
  'apply-to-subscriptions': { invoiceId: string; action: Exclude<UnpaidSubscriptionAction, 'none'> };
  /** Charges a customer's declined invoices if the customer's default payment method has changed. */
  'charge-new-method': { customerId: string; paymentMethodId?: string; position: string };
  /** Pays what the customer wants to pay with an added payment method: one invoice, or all that are open. */
  'pay-with-added-method': {
    customerId: string;
    paymentMethodId: string;
    pays: NonNullable<PaymentMethodPurpose['pays']>;
    position: string;
  };
  /** Pays a customer's open invoices from a balance that has grown. `givenBack` is what an invoice gave back. */
  'pay-from-balance': { customerId: string; currency: string; position: string; givenBack?: GivenBack };
  /** Carries an amount that the payment processor refused as too small to the next invoice, if the settings say so. */
  'carry-small-amount': { invoiceId: string };
  /** Charges a declined invoice again, if the customer's default payment method was replaced during the charge. */
  'charge-replaced-method': { invoiceId: string };
}

/**
 * Collects open invoices. The process manager makes the first charge, plans retries of failed charges, and charges declined invoices at
 * once if the customer has a new default payment method. This process manager also completes the payments that a crashed process began, and
 * records on subscriptions whether they are past due.
 */
@Injectable()
export class CollectionProcess extends ProcessManager<Tasks> {
  readonly name = 'collection';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
    private readonly gateways: PaymentGateways,
    private readonly overdue: OverdueInvoiceRecorder,
    private readonly retrier: PaymentRetrier,
    private readonly settler: OpenInvoiceSettler,
    private readonly carrier: SmallAmountCarrier,
    private readonly addedMethods: AddedMethodPayer,
    private readonly declined: DeclinedInvoiceFinder,
    private readonly openInvoices: OpenInvoiceFinder,
    private readonly readModels: ReadModelProgress,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<InvoiceEvent | CustomerEvent | BalanceEvent, Tasks>({
    InvoiceOpened: ({ data: { invoiceId } }) => [{ name: 'collect-invoice', payload: { invoiceId } }],
    // The process that starts a payment also completes it. These tasks complete the payment if that process crashes first.
    PaymentStarted: ({ data }) => [completePaymentTask(data)],
    PaymentConfirmed: ({ data }) => [completePaymentTask(data)],
    // An invoice whose first attempt succeeds was never overdue, unless it had been written off.
    PaymentSucceeded: ({ data }) => (data.attempt === 1 && !data.writtenOff ? [] : [recordStatusTask(data)]),
    PaymentFailed: ({ data }) => [
      recordStatusTask(data),
      ...tasksOfPlan(data),
      { name: 'charge-replaced-method', payload: { invoiceId: data.invoiceId } },
      ...(data.code === 'amount_too_small'
        ? [{ name: 'carry-small-amount', payload: { invoiceId: data.invoiceId } } as const]
        : []),
    ],
    PaymentActionRequired: ({ data }) => [
      ...tasksOfPlan(data),
      { name: 'charge-replaced-method', payload: { invoiceId: data.invoiceId } },
    ],
    PaymentRetrySkipped: ({ data }) => tasksOfPlan(data),
    PaymentRetriesEnded: ({ data: { invoiceId, subscription: action } }) =>
      action === 'none' ? [] : [{ name: 'apply-to-subscriptions', payload: { invoiceId, action } }],
    PaymentMethodAttached: ({ data, position }) => [
      ...payWithAddedMethodTasks(data, position),
      ...(paysWhatWasDeclined(data) ? [chargeNewMethodTask(data, position)] : []),
    ],
    DefaultPaymentMethodChanged: ({ data, position }) => [chargeNewMethodTask(data, position)],
    // If the detached payment method was the default, another one is the default now.
    PaymentMethodDetached: ({ data: { customerId }, position }) => [
      chargeNewMethodTask({ customerId }, position),
    ],
    InvoiceMarkedUncollectible: ({ data }) => [recordStatusTask(data)],
    InvoiceVoided: ({ data }) => [
      recordStatusTask(data),
      { name: 'cancel-waiting-charge', payload: { invoiceId: data.invoiceId } },
    ],
    // A credit note, or a give-back of a later invoice, can reduce the amount due to zero.
    CreditNoteIssued: ({ data }) => [recordStatusTask(data)],
    InvoiceReduced: ({ data }) => [recordStatusTask(data)],
    PaymentRecorded: ({ data }) => [recordStatusTask(data)],
    // These make the balance larger. The return of a payment is left out, because a user reversed it.
    BalanceCredited: ({ data, position }) => [
      payFromBalanceTask(
        data,
        position,
        data.source === 'invoice' ? { invoiceId: data.sourceId, amount: data.amount } : undefined,
      ),
    ],
    BalanceReturned: ({ data, position }) => [payFromBalanceTask(data, position)],
    BalanceAdjusted: ({ data, position }) =>
      data.change === 'given' ? [payFromBalanceTask(data, position)] : [],
    // If the last finished charge of the invoice failed, the invoice is overdue again without the recorded payment.
    RecordedPaymentReversed: ({ data }) => [recordStatusTask(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'collect-invoice': ({ invoiceId }, context) => withStreamCache(() => this.collect(context, invoiceId)),
    'cancel-waiting-charge': ({ invoiceId }, context) =>
      this.payments.cancelWaitingCharges(context, invoiceId),
    // A payment that was begun waits until a payment gateway is connected again.
    'complete-payment': async ({ invoiceId, attemptId }, context) => {
      const completion = this.commands.execute(new CompletePayment(context, invoiceId, attemptId));
      await waitWhileRefused('no_payment_gateway', completion);
    },
    'record-payment-status': ({ invoiceId }, context) => this.overdue.record(context, invoiceId),
    'retry-payment': ({ invoiceId, attemptId }, context) => this.retrier.retry(context, invoiceId, attemptId),
    'end-retries': ({ invoiceId, attemptId }, context) =>
      this.retrier.endRetries(context, invoiceId, attemptId),
    'apply-to-subscriptions': ({ invoiceId, action }, context) =>
      this.retrier.pauseOrCancelSubscriptions(context, invoiceId, action),
    'charge-new-method': async ({ customerId, paymentMethodId, position }, context) => {
      const { workspaceId } = context;
      if (!(await this.payments.canChargeAutomatically(workspaceId, customerId))) return;
      const method = await this.payments.defaultPaymentMethod(workspaceId, customerId);
      if (paymentMethodId !== undefined && method?.paymentMethodId !== paymentMethodId) return;
      await this.awaitInvoiceList(position, 'the new payment method is charged');
      for (const invoiceId of await this.declined.findByCustomer(workspaceId, customerId))
        await this.chargeReplacedMethod(followUpContext(context, invoiceId), invoiceId);
    },
    'pay-with-added-method': async ({ customerId, paymentMethodId, pays, position }, context) => {
      const { workspaceId } = context;
      if (!(await this.gateways.find(workspaceId))) return;
      if (pays !== 'open') {
        const { invoiceId, amount } = pays;
        await this.addedMethods.pay(context, invoiceId, paymentMethodId, amount);
        return;
      }
      await this.awaitInvoiceList(position, 'the added payment method pays open invoices');
      for (const invoiceId of await this.openInvoices.findOpen(workspaceId, customerId, null))
        await this.addedMethods.pay(followUpContext(context, invoiceId), invoiceId, paymentMethodId);
    },
    'pay-from-balance': async ({ customerId, currency, position, givenBack }, context) => {
      await this.awaitInvoiceList(position, 'the balance pays open invoices');
      const always = givenBack && (await this.isForOpenInvoices(context, givenBack.invoiceId));
      await this.settler.payFromBalance(
        context,
        { customerId, currency },
        always ? { always: givenBack.amount } : {},
      );
    },
    'carry-small-amount': async ({ invoiceId }, context) => {
      await this.carry(context, await this.invoices.require(context.workspaceId, invoiceId));
    },
    'charge-replaced-method': async ({ invoiceId }, context) => {
      const { attempts } = await this.invoices.require(context.workspaceId, invoiceId);
      // A payment method that was chosen for the payment need not be the default, so no other one has replaced it.
      if (!attempts.at(-1)?.chosenMethod) await this.chargeReplacedMethod(context, invoiceId);
    },
  };

  /** Throws Unavailable if the list of invoices is still behind the position after a moment. The task is then repeated. */
  private async awaitInvoiceList(position: string, work: string): Promise<void> {
    if (await this.readModels.waitFor(BigInt(position), READ_MODEL_WAIT_MILLIS)) return;
    throw new Unavailable(
      'read_models_behind',
      `The list of invoices is behind position ${position}; ${work} when it has caught up`,
    );
  }

  /** Tells whether what an invoice gives back pays open invoices, whatever the billing settings say. */
  private async isForOpenInvoices({ workspaceId }: CommandContext, invoiceId: string): Promise<boolean> {
    return (await this.invoices.require(workspaceId, invoiceId)).excessTo === 'open_invoices';
  }

  /**
   * Makes the first charge of an open invoice, or carries an amount that is too small to the next invoice. Charges nothing if the workspace
   * has no gateway, or if the customer has no card or was deleted meanwhile. An invoice that stays open without a first charge is charged
   * later only on request.
   */
  private async collect(context: CommandContext, invoiceId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId, isUncharged);
    if (!isUncharged(invoice) || !invoice.settings.autoCollect) return;
    if (!(await this.gateways.find(workspaceId))) return;
    if (!(await this.payments.canChargeAutomatically(workspaceId, invoice.customerId))) return;
    if (await this.carry(context, invoice)) return;
    await this.charge(new PayInvoice(context, invoiceId));
  }

  /**
   * Carries an amount that is too small for a charge to the next invoice, if the settings say so. Returns true if it is carried, or if the
   * invoice was paid or voided meanwhile. If a payment is in progress, or another amount is due meanwhile, throws the error, so that the task
   * is repeated.
   */
  private async carry(context: CommandContext, invoice: Invoice): Promise<boolean> {
    const carrying = followUpContext(context, `carry ${invoice.invoiceId}`);
    try {
      return await this.carrier.carry(carrying, invoice);
    } catch (error) {
      if (!(error instanceof InvalidRequest) || REPEATED_CARRY_REFUSALS.includes(error.code)) throw error;
      return true;
    }
  }

  /**
   * Charges an invoice whose last charge did not succeed, if the customer now has another default payment method. Does nothing if the
   * invoice never had a retry plan, for example because the workspace does not retry payments, or because an earlier version of
   * Countinghouse made the charge.
   */
  private async chargeReplacedMethod(context: CommandContext, invoiceId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    const last = invoice.attempts.at(-1);
    if (invoice.status !== 'open' || !invoice.settings.autoCollect || !invoice.retries) return;
    if (last?.status !== 'failed' && last?.status !== 'requires_action') return;
    // Another card cannot pay an amount that cannot be charged.
    if (isAmountRefusal(last.code)) return;
    if (!(await this.payments.canChargeAutomatically(workspaceId, invoice.customerId))) return;
    const method = await this.payments.defaultPaymentMethod(workspaceId, invoice.customerId);
    if (method?.paymentMethodId === last.method.paymentMethodId) return;
    // The change of the card and the failed charge each lead here. Only one of them makes the charge.
    await this.charge(new PayInvoice(context, invoiceId, { newestAttempt: last.attemptId }));
  }

  /**
   * Charges an invoice. If the command is refused, the refusal is ignored: the invoice no longer needs a charge, another caller is charging
   * it, or the workspace has no gateway or the customer no card any more. If a payment from the balance is in progress, throws the error,
   * so that the task is repeated.
   */
  private async charge(command: PayInvoice): Promise<void> {
    const { context, invoiceId } = command;
    const charge = this.commands.execute(command);
    await this.payments
      .awaitChargeUnlessInProgress(context.workspaceId, invoiceId, charge)
      .catch((error: unknown) => {
        if (!(error instanceof InvalidRequest) || error.code === 'payment_in_progress') throw error;
      });
  }
}

/** A carry that is refused for these reasons is decided again, because the invoice is still owed. */
const REPEATED_CARRY_REFUSALS: readonly string[] = ['payment_in_progress', 'amount_changed'];

function isUncharged({ status, attempts }: Invoice): boolean {
  return status === 'open' && attempts.length === 0;
}

function completePaymentTask({
  invoiceId,
  attemptId,
}: {
  invoiceId: string;
  attemptId: string;
}): TaskRequest<Tasks> {
  return { name: 'complete-payment', payload: { invoiceId, attemptId } };
}

/** The tasks that carry out the retry plan of a failed attempt, each at its planned time. */
function tasksOfPlan({
  invoiceId,
  attemptId,
  retries: plan,
}: {
  invoiceId: string;
  attemptId: string;
  retries?: RetryPlan;
}): TaskRequest<Tasks>[] {
  const payload = { invoiceId, attemptId };
  const retryAt = plannedRetryAt(plan);
  if (retryAt !== null) return [{ name: 'retry-payment', payload, dueAt: retryAt }];
  const end = endOfRetries(plan);
  return end ? [{ name: 'end-retries', payload, dueAt: end.givesUpAt }] : [];
}

function payFromBalanceTask(
  { customerId, currency }: { customerId: string; currency: string },
  position: Position,
  givenBack?: GivenBack,
): TaskRequest<Tasks> {
  const giving = givenBack === undefined ? {} : { givenBack };
  return {
    name: 'pay-from-balance',
    payload: { customerId, currency, position: String(position), ...giving },
  };
}

function chargeNewMethodTask(
  { customerId, paymentMethodId }: { customerId: string; paymentMethodId?: string },
  position: Position,
): TaskRequest<Tasks> {
  const named = paymentMethodId === undefined ? {} : { paymentMethodId };
  return { name: 'charge-new-method', payload: { customerId, ...named, position: String(position) } };
}

function payWithAddedMethodTasks(
  {
    customerId,
    paymentMethodId,
    pays,
  }: { customerId: string; paymentMethodId: string } & PaymentMethodPurpose,
  position: Position,
): TaskRequest<Tasks>[] {
  if (pays === undefined) return [];
  const payload = { customerId, paymentMethodId, pays, position: String(position) };
  return [{ name: 'pay-with-added-method', payload }];
}

function recordStatusTask({ invoiceId }: { invoiceId: string }): TaskRequest<Tasks> {
  return { name: 'record-payment-status', payload: { invoiceId } };
}
