import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Balances } from '#libs/contexts/balances';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../../decider.js';
import { requireNoPaymentInProgress } from '../../decisions/payment-guards.js';
import { requireRecordedPayment } from '../../decisions/recorded-payment.js';
import { isZeroAmount, type Invoice } from '../../invoice.js';
import { Invoices } from '../../invoices.js';
import { creditExcess } from '../credit-excess.js';

/**
 * Reverses a recorded payment, and returns the invoice, which is owed again. The excess is removed from the customer's balance. A payment
 * from the balance goes back to it. Throws NotFound for an unknown invoice or payment. Throws InvalidRequest (`payment_reversed`,
 * `payment_in_progress`). Throws Conflict (`balance_used`) if the balance does not hold the excess any more.
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
   * Removes the excess from the balance first, because only the balance can refuse. After that the payment is always reversed, by this process
   * or another. A payment from the balance is returned after its reversal.
   */
  async execute({ context, invoiceId, paymentId, reason }: ReversePayment): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const found = await this.invoices.require(workspaceId, invoiceId);
    const payment = requireRecordedPayment(paymentId, found);
    const { toBalance: amount, method, status } = payment;
    const hasExcess = !isZeroAmount(amount);
    if (hasExcess) {
      if (status === 'succeeded') requireNoPaymentInProgress(found);
      await creditExcess(this.balances, context, found, payment);
      await this.balances.removeExcess(context, found, { paymentId, amount, reason });
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
