import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Balances } from '#libs/contexts/balances';
import { Conflict, type DecimalString } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, idFor, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../../decider.js';
import { findRecordedPayment } from '../../decisions/recorded-payment.js';
import type { Invoice } from '../../invoice.js';
import { Invoices } from '../../invoices.js';
import { BalancePaymentCompleter } from '../balance-payment-completer.js';

/**
 * Pays an open invoice from the customer's balance, partly or whole, and returns the invoice. If `amount` is null, the payment is as large
 * as the balance and the amount due allow. Throws NotFound for an unknown invoice, and the errors of `startBalancePayment`
 * (`decisions/recorded-payment.ts`).
 */
export class PayFromBalance extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly amount: DecimalString | null,
  ) {
    super();
  }
}

@CommandHandler(PayFromBalance)
export class PayFromBalanceHandler implements ICommandHandler<PayFromBalance> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly balances: Balances,
    private readonly payments: BalancePaymentCompleter,
  ) {}

  async execute({ context: request, invoiceId, amount }: PayFromBalance): Promise<Invoice> {
    const { workspaceId, now: at } = request;
    const found = await this.invoices.require(workspaceId, invoiceId);
    const { context, paymentId } = paymentOfCommand(request, found);
    if (!findRecordedPayment(paymentId, found)) {
      const available = await this.balances.availableAmount(workspaceId, found);
      const start = { type: 'StartBalancePayment', at, invoiceId, paymentId, amount, available } as const;
      await this.aggregates.execute(invoiceDecider, aggregateId(workspaceId, invoiceId), context, start);
    }
    const invoice = await this.payments.complete(context, invoiceId, paymentId);
    if (findRecordedPayment(paymentId, invoice)?.status === 'failed')
      throw new Conflict(
        'balance_too_low',
        `The balance of customer "${invoice.customerId}" was used by another invoice at the same time; try again`,
      );
    return invoice;
  }
}

/**
 * Returns the id of the payment that a command makes, and the context in which it is made. If a command is repeated after the balance could
 * not cover its payment, the repeated command makes another payment.
 */
function paymentOfCommand(
  request: CommandContext,
  invoice: Invoice,
): { context: CommandContext; paymentId: string } {
  for (let time = 0; ; time++) {
    const context = time === 0 ? request : followUpContext(request, `pay from the balance again ${time}`);
    const paymentId = idFor(context, 'rpay', invoice.invoiceId);
    if (findRecordedPayment(paymentId, invoice)?.status !== 'failed') return { context, paymentId };
  }
}
