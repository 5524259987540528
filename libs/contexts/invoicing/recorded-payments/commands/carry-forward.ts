import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { DecimalString } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../../decider.js';
import type { Invoice } from '../../invoice.js';
import { BalancePaymentCompleter } from '../balance-payment-completer.js';

/**
 * Carries the amount due of an open invoice to the next invoice of the customer in its currency, and returns the invoice, which is paid. The
 * amount is a debt of the customer's balance, which the next invoice collects. The call is safe to repeat. Throws the errors of
 * `carryForward` (`decisions/recorded-payment.ts`).
 */
export class CarryForward extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    /** The amount due that was found too small for a charge. */
    readonly amount: DecimalString,
  ) {
    super();
  }
}

@CommandHandler(CarryForward)
export class CarryForwardHandler implements ICommandHandler<CarryForward> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly payments: BalancePaymentCompleter,
  ) {}

  async execute({ context, invoiceId, amount }: CarryForward): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const paymentId = idFor(context, 'rpay', invoiceId);
    const command = { type: 'CarryForward', at, invoiceId, paymentId, amount } as const;
    await this.aggregates.execute(invoiceDecider, aggregateId(workspaceId, invoiceId), context, command);
    return this.payments.complete(context, invoiceId, paymentId);
  }
}
