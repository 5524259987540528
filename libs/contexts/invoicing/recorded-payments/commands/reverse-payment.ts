import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Balances } from '#libs/contexts/balances';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../../decider.js';
import { requireNoPaymentInProgress } from '../../decisions/payment-guards.js';
import { requireRecordedPayment } from '../../decisions/recorded-payment.js';
import { isZeroAmount, type Invoice } from '../../invoice.js';
import { Invoices } from '../../invoices.js';
import { creditPaymentExcess } from '../credit-payment-excess.js';

/**
 * Reverses a recorded payment, and returns the invoice. A paid invoice is owed again. The part of the payment above the amount due is
 * removed from the customer's balance. A payment from the customer's balance goes back to the balance. Throws NotFound for an unknown
 * invoice or payment. Throws StateConflict (`payment_reversed`) if the payment is reversed already, or (`payment_in_progress`) while
 * another payment of the invoice is in progress. Throws Conflict (`balance_used`) if the customer's balance is lower than the amount that
 * must be removed.
 */
export class ReversePayment extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly paymentId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(ReversePayment)
export class ReversePaymentHandler implements ICommandHandler<ReversePayment> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly balances: Balances,
  ) {}

  /**
   * Removes the excess from the customer's balance first, because only this step can be refused. Once the excess is removed, this process
   * or another one always reverses the payment. A payment from the customer's balance is returned to the balance after its reversal.
   */
  async execute({ context, invoiceId, paymentId, reason }: ReversePayment): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const found = await this.invoices.require(workspaceId, invoiceId);
    const payment = requireRecordedPayment(paymentId, found);
    const { toBalance: amount, method, status } = payment;
    const hasExcess = !isZeroAmount(amount);
    if (hasExcess) {
      if (status === 'succeeded') requireNoPaymentInProgress(found);
      await creditPaymentExcess(this.balances, context, found, payment);
      await this.balances.removePaymentExcess(context, found, { paymentId, amount, reason });
    }
    const { state } = await this.aggregates.execute(
      invoiceDecider,
      aggregateId(workspaceId, invoiceId),
      context,
      {
        ...({ type: 'ReversePayment', at, invoiceId, paymentId, reason } as const),
        // With an excess, the balance has decided which reversal is first.
        ...(hasExcess ? {} : { mustBeFirst: true as const }),
      },
    );
    if (method === 'balance') await this.balances.returnWithdrawal(context, state, paymentId);
    return state;
  }
}
