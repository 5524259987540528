import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Balances } from '#libs/contexts/balances';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../../decider.js';
import { requireRecordedPayment } from '../../decisions/recorded-payment.js';
import type { Invoice } from '../../invoice.js';
import { creditPaymentExcess } from '../credit-payment-excess.js';
import type { PaymentToRecord } from '../recorded-payment.js';

/**
 * Records a payment of an invoice outside the payment gateway, and returns the invoice. The part above the amount due is added to the
 * customer's balance. Throws NotFound for an unknown invoice, and the errors of `recordPayment` (`decisions/recorded-payment.ts`).
 */
export class RecordPayment extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly payment: Omit<PaymentToRecord, 'paymentId'>,
  ) {
    super();
  }
}

@CommandHandler(RecordPayment)
export class RecordPaymentHandler implements ICommandHandler<RecordPayment> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly balances: Balances,
  ) {}

  async execute({ context, invoiceId, payment }: RecordPayment): Promise<Invoice> {
    const paymentId = idFor(context, 'rpay', invoiceId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'RecordPayment', at: context.now, invoiceId, paymentId, ...payment } as const;
    const { state } = await this.aggregates.execute(invoiceDecider, id, context, command);
    await creditPaymentExcess(this.balances, context, state, requireRecordedPayment(paymentId, state));
    return state;
  }
}
