import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import { InvalidRequest, Decimal, requireWholeMinorUnits, type DecimalString } from '#libs/kernel/core';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { balanceDecider, type Balance } from '../balance.js';
import { balanceId } from '../balances.js';
import type { OutsidePaymentMethod } from '../events.js';

/** A manual change of a customer's balance by a user. */
export interface BalanceAdjustment {
  /** The amount of the change, with at most the decimals of the currency. The amount is below zero if it is taken from the customer. */
  readonly amount: DecimalString;
  readonly reason: string;
  /** If the currency is null, the customer's currency applies. */
  readonly currency: string | null;
  /** The way in which money was received from the customer, or paid back. Null if no money moved. */
  readonly method: OutsidePaymentMethod | null;
}

/**
 * Adds an amount to a customer's balance, or takes an amount from it, and returns the balance. Throws NotFound for an unknown or deleted
 * customer. Throws InvalidRequest for an amount of zero or with too many decimals. Throws Conflict (`balance_too_low`) if the amount to
 * take is larger than the balance.
 */
export class AdjustBalance extends Command<Balance> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly adjustment: BalanceAdjustment,
  ) {
    super();
  }
}

@CommandHandler(AdjustBalance)
export class AdjustBalanceHandler implements ICommandHandler<AdjustBalance> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
  ) {}

  async execute({ context, customerId, adjustment }: AdjustBalance): Promise<Balance> {
    const { workspaceId, now: at } = context;
    const { amount, reason, method, currency = null } = adjustment;
    const known = await this.customers.find(workspaceId, customerId);
    const repeated =
      known &&
      (await this.aggregates.findRepeated(
        balanceDecider,
        balanceId(workspaceId, { customerId, currency: currency ?? known.currency }),
        context,
      ));
    if (repeated) return repeated;
    const customer = await this.customers.require(workspaceId, customerId);
    const key = { customerId, currency: currency ?? customer.currency };
    if (new Decimal(amount).isZero())
      throw InvalidRequest.field('amount', 'must not be zero; give above zero, or take below zero');
    requireWholeMinorUnits('amount', amount, key.currency);
    const id = balanceId(workspaceId, key);
    const { state } = await this.aggregates.execute(balanceDecider, id, context, {
      ...{ type: 'AdjustBalance', at, ...key, adjustmentId: idFor(context, 'adj', customerId) },
      ...{ amount, reason, method, timezone: customer.timezone },
    });
    return state;
  }
}
