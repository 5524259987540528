import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StateConflict, type DecimalString } from '#libs/kernel/core';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { knownRefusalOfAmount, PaymentGateways } from '#libs/contexts/payments';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  amountToPay,
  invoiceDecider,
  InvoiceFinalizer,
  Invoices,
  isZeroAmount,
  requirePayable,
  type ChargedPaymentMethod,
  type Invoice,
  type InvoiceOpening,
} from '#libs/contexts/invoicing';
import { InvoicePayments, refusedAmountText, type PaymentResult } from '../invoice-payments.js';

/** When an invoice is charged, and with which card. */
export interface PaymentCondition {
  /** The failed attempt after which this payment was planned as a retry. */
  readonly retryAfter?: string;
  /** The newest attempt that the caller knows, or null if it knows none. If another attempt was made after it, nothing is charged. */
  readonly newestAttempt?: string | null;
  /** The amount that the payer was shown. If the amount to pay is another one, nothing is charged. */
  readonly shownAmount?: DecimalString;
  /** The payment method that is charged in place of the default. */
  readonly paymentMethodId?: string;
}

/**
 * Charges the customer's card on file. A draft is opened first. A failed charge is returned as a result, and is not thrown as an error.
 * `requirePaid` throws an error for a failed charge. Throws InvalidRequest if the invoice is paid or void, or has a payment in progress
 * (`payment_in_progress`). Throws InvalidRequest if there is an amount to charge, but no default payment method (`no_payment_method`) or no
 * gateway (`no_payment_gateway`). Throws StateConflict (`retry_not_due`) if the retry is not due, or is not planned any more. Throws
 * StateConflict (`charged_meanwhile`) if another attempt was made after the newest one that the caller knows. Throws StateConflict
 * (`amount_changed`) if the amount to pay is not the one that the payer was shown.
 */
export class PayInvoice extends Command<PaymentResult> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    /** Empty if a user or the customer pays with the card on file, and for the automatic first charge. */
    readonly condition: PaymentCondition = {},
  ) {
    super();
  }
}

@CommandHandler(PayInvoice)
export class PayInvoiceHandler implements ICommandHandler<PayInvoice> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly gateways: PaymentGateways,
    private readonly finalizer: InvoiceFinalizer,
    private readonly payments: InvoicePayments,
    private readonly clock: WorkspaceClock,
  ) {}

  async execute({ context, invoiceId, condition }: PayInvoice): Promise<PaymentResult> {
    const attemptId = idFor(context, 'pay', invoiceId);
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    const started = hasAttempt(invoice, attemptId)
      ? invoice
      : await this.start(context, invoice, attemptId, condition);
    if (!hasAttempt(started, attemptId)) return { invoice: started, attempt: null };
    const result = await this.payments.chargePendingAttempt(context, started, attemptId);
    if (result.attempt?.status !== 'failed') return result;
    const { method } = result.attempt;
    const otherMethod = await this.payments.findOtherPaymentMethod(
      context.workspaceId,
      invoice.customerId,
      method.paymentMethodId,
    );
    return { ...result, otherMethod };
  }

  /**
   * Checks that the invoice is payable before it looks for a card. If the card were checked first, the error for a paid invoice could be
   * `no_payment_method`.
   */
  private async start(
    context: CommandContext,
    invoice: Invoice,
    attemptId: string,
    { paymentMethodId, ...condition }: PaymentCondition,
  ): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const methodOf = (current: Invoice, due: DecimalString) =>
      this.requireMethod(workspaceId, current, due, paymentMethodId);
    const { invoiceId } = invoice;
    requirePayable(invoice);
    const id = aggregateId(workspaceId, invoiceId);
    const isChosen =
      paymentMethodId !== undefined &&
      (await this.payments.defaultPaymentMethod(workspaceId, invoice.customerId))?.paymentMethodId !==
        paymentMethodId;
    const run = async (opening: InvoiceOpening | null, current = invoice) => {
      const due = amountToPay(current, opening);
      const method = isZeroAmount(due) ? null : await methodOf(invoice, due);
      const command = {
        ...({ type: 'StartPayment', at, invoiceId, attemptId, method, opening } as const),
        ...condition,
        ...(isChosen ? { chosenMethod: true as const } : {}),
      };
      return (await this.aggregates.execute(invoiceDecider, id, context, command)).state;
    };
    if (invoice.status !== 'draft') return run(null);
    return this.finalizer.finalize(context, invoice, run, async (draft) => {
      const due = await this.finalizer.amountAfterBalance(workspaceId, draft);
      if (!isZeroAmount(due)) await methodOf(draft, due);
    });
  }

  /** The payment method with this id, or the default, to pay the amount that is due. */
  private async requireMethod(
    workspaceId: string,
    invoice: Invoice,
    due: DecimalString,
    paymentMethodId: string | undefined,
  ): Promise<ChargedPaymentMethod> {
    const { customerId } = invoice;
    await this.gateways.require(workspaceId);
    const method =
      paymentMethodId === undefined
        ? await this.payments.defaultPaymentMethod(workspaceId, customerId)
        : await this.payments.findPaymentMethod(workspaceId, customerId, paymentMethodId);
    if (method) return method;
    const { currency, attempts } = invoice;
    const isSandbox = (await this.clock.readMode(workspaceId)) === 'sandbox';
    const refusal = knownRefusalOfAmount(due, currency, isSandbox, attempts.at(-1));
    throw new StateConflict(
      'no_payment_method',
      refusal
        ? refusedAmountText(invoice, refusal)
        : `Customer "${customerId}" has no payment method; add one with POST /v1/customers/${customerId}/payment-methods`,
    );
  }
}

function hasAttempt(invoice: Invoice, attemptId: string): boolean {
  return invoice.attempts.some((attempt) => attempt.attemptId === attemptId);
}
