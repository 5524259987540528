import { Injectable } from '@nestjs/common';
import { InvalidRequest, StateConflict } from '#libs/kernel/core';
import { Customers, type PaymentMethod } from '#libs/contexts/customers';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import {
  PaymentGateways,
  type ChargeOutcome,
  type ChargeRefusal,
  type PaymentGateway,
} from '#libs/contexts/payments';
import { isAmountRefusal } from '#libs/rating';
import {
  invoiceDecider,
  Invoices,
  pendingAttempt,
  VOIDED_ATTEMPT_CODE,
  type Invoice,
  type PaymentAttempt,
} from '#libs/contexts/invoicing';
import { CurrentPaymentRetrySettings } from './settings/current-payment-retry-settings.js';

/** The result of an attempt to pay an invoice. `attempt` is `null` if there was nothing to charge. */
export interface PaymentResult {
  readonly invoice: Invoice;
  readonly attempt: PaymentAttempt | null;
  /**
   * Another payment method of the customer. Set only after a declined charge, and only if the caller searched for another payment method
   * and found one.
   */
  readonly otherMethod?: PaymentMethod | undefined;
}

/** Completes the payments of invoices, and finds the payment method to charge. */
@Injectable()
export class InvoicePayments {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly customers: Customers,
    private readonly gateways: PaymentGateways,
    private readonly retrySettings: CurrentPaymentRetrySettings,
  ) {}

  /**
   * The customer's default payment method. A deleted customer's payment method is also found, so that an invoice can still be paid on
   * request.
   */
  async defaultPaymentMethod(workspaceId: string, customerId: string): Promise<PaymentMethod | undefined> {
    const customer = await this.customers.find(workspaceId, customerId);
    return customer?.paymentMethods.find(
      (method) => method.paymentMethodId === customer.defaultPaymentMethodId,
    );
  }

  /** A payment method of the customer. `undefined` if the customer has removed it. */
  async findPaymentMethod(
    workspaceId: string,
    customerId: string,
    paymentMethodId: string,
  ): Promise<PaymentMethod | undefined> {
    const customer = await this.customers.find(workspaceId, customerId);
    return customer?.paymentMethods.find((method) => method.paymentMethodId === paymentMethodId);
  }

  /** Tells whether a payment method can be added to the customer, who must not be deleted. */
  async canAddPaymentMethod(workspaceId: string, customerId: string): Promise<boolean> {
    return (await this.customers.find(workspaceId, customerId))?.deleted === false;
  }

  /** The customer's newest payment method other than the charged one. */
  async findOtherPaymentMethod(
    workspaceId: string,
    customerId: string,
    charged: string,
  ): Promise<PaymentMethod | undefined> {
    const customer = await this.customers.find(workspaceId, customerId);
    return customer?.paymentMethods.findLast((method) => method.paymentMethodId !== charged);
  }

  /** Tells whether the customer can be charged automatically. The customer must have a default payment method and must not be deleted. */
  async canChargeAutomatically(workspaceId: string, customerId: string): Promise<boolean> {
    const customer = await this.customers.find(workspaceId, customerId);
    return (
      customer?.deleted === false && (await this.defaultPaymentMethod(workspaceId, customerId)) !== undefined
    );
  }

  /**
   * Waits for an automatic charge. If the charge is refused because a card is being charged already, the refusal is ignored. The next retry
   * is planned when the charge in progress has a result. Throws StateConflict (`payment_in_progress`) while the invoice has a payment from
   * the customer's balance in progress. A payment from the balance can fail, so the caller must try again later.
   */
  async awaitChargeUnlessInProgress(
    workspaceId: string,
    invoiceId: string,
    charge: Promise<unknown>,
  ): Promise<void> {
    await charge.catch(async (error: unknown) => {
      if (!(error instanceof InvalidRequest && error.code === 'payment_in_progress')) throw error;
      if (!pendingAttempt(await this.invoices.require(workspaceId, invoiceId))) throw error;
    });
  }

  /**
   * Cancels, at the gateway, the charges that waited for the customer's confirmation when the invoice was voided. A workspace without a
   * gateway has nothing to cancel.
   */
  async cancelWaitingCharges({ workspaceId }: CommandContext, invoiceId: string): Promise<void> {
    const { attempts } = await this.invoices.require(workspaceId, invoiceId);
    const canceled = attempts.filter(({ code }) => code === VOIDED_ATTEMPT_CODE);
    if (canceled.length === 0) return;
    const gateway = await this.gateways.find(workspaceId);
    for (const { attemptId } of canceled) await gateway?.cancelWaitingCharge(attemptId);
  }

  /**
   * Charges the card for a pending attempt and records the outcome. Does nothing if the attempt is not pending. Several callers can charge
   * the same attempt at the same time, and again after a crash. The gateway charges each attempt only once, and only the first outcome is
   * recorded.
   */
  async chargePendingAttempt(
    context: CommandContext,
    invoice: Invoice,
    attemptId: string,
  ): Promise<PaymentResult> {
    const attempt = attemptOf(invoice, attemptId);
    if (attempt.status !== 'pending') return { invoice, attempt };
    const { invoiceId } = invoice;
    const gateway = await this.gateways.require(context.workspaceId);
    const outcome = await chargeOrConfirm(gateway, context.workspaceId, invoiceId, attempt);
    const following = followUpContext(context, 'complete-payment');
    const id = aggregateId(context.workspaceId, invoiceId);
    const retryRules =
      outcome.status === 'succeeded' ? null : await this.retrySettings.findRetryRules(context.workspaceId);
    const command = {
      ...({ type: 'CompletePayment', at: context.now, invoiceId, attemptId, outcome } as const),
      retryRules,
    };
    const { state } = await this.aggregates.execute(invoiceDecider, id, following, command);
    return { invoice: state, attempt: attemptOf(state, attemptId) };
  }
}

/**
 * Returns the invoice, unless its charge failed or must be confirmed by the customer. For a failed charge, throws StateConflict
 * (`payment_declined`), and names another payment method of the customer if there is one. For a charge that must be confirmed, throws
 * StateConflict (`payment_action_required`).
 */
export function requirePaid({ invoice, attempt, otherMethod }: PaymentResult): Invoice {
  if (attempt?.status === 'failed' && isAmountRefusal(attempt.code)) {
    const { message, code, currency, amount } = attempt;
    const refusal = { code, message: message ?? `No card can be charged ${amount} ${currency}.` };
    throw new StateConflict('payment_declined', refusedAmountText(invoice, refusal));
  }
  if (attempt?.status === 'failed')
    throw new StateConflict(
      'payment_declined',
      `${attempt.message} (${attempt.method.label}; ${attempt.code}) The invoice stays open; it can be paid again` +
        (otherMethod ? `. ${otherMethodText(invoice.customerId, otherMethod)}` : ''),
    );
  if (attempt?.status === 'requires_action')
    throw new StateConflict(
      'payment_action_required',
      `${attempt.message} It can be confirmed on the invoice's hosted page (${attempt.method.label})`,
    );
  return invoice;
}

/** Says that no card can pay an invoice, and how else it can be settled. Payments are recorded for approved invoices only. */
export function refusedAmountText(
  { invoiceId, status }: Pick<Invoice, 'invoiceId' | 'status'>,
  { code, message }: ChargeRefusal,
): string {
  const path = `/v1/invoices/${invoiceId}`;
  const isDraft = status === 'draft';
  const state = `No card can pay this invoice (${code}), so it ${isDraft ? 'stays a draft' : 'stays open'}.`;
  const approval = isDraft ? `Approve it with POST ${path}/approve. Then record` : 'Record';
  const remedies =
    `${approval} a payment that you received with POST ${path}/payments, ` +
    `or mark the invoice as uncollectible with POST ${path}/mark-uncollectible`;
  if (code !== 'amount_too_small') return `${message} ${state} ${remedies}`;
  const carry =
    'For later invoices, carrySmallAmounts in PUT /v1/billing-settings carries such amounts to the next invoice';
  return `${message} ${state} ${remedies}. ${carry}`;
}

function otherMethodText(customerId: string, { label, paymentMethodId }: PaymentMethod): string {
  const path = `/v1/customers/${customerId}/payment-methods/${paymentMethodId}/default`;
  return `${label} is on file too; make it the default with POST ${path}`;
}

async function chargeOrConfirm(
  gateway: PaymentGateway,
  workspaceId: string,
  invoiceId: string,
  { attemptId, attempt, amount, currency, method, confirmed }: PaymentAttempt,
): Promise<ChargeOutcome> {
  if (confirmed) return gateway.completeConfirmation(attemptId);
  return gateway.charge({ key: attemptId, workspaceId, invoiceId, attempt, amount, currency, method });
}

function attemptOf(invoice: Invoice, attemptId: string): PaymentAttempt {
  const attempt = invoice.attempts.find((one) => one.attemptId === attemptId);
  if (!attempt) throw new Error(`Invoice ${invoice.invoiceId} has no payment attempt ${attemptId}`);
  return attempt;
}
