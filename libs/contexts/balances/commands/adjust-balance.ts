import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Customers } from '#libs/contexts/customers';
import { InvalidRequest, Decimal, requireWholeMinorUnits, type DecimalString } from '#libs/kernel/core';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { balanceDecider, type Balance, type BalanceCommandOf } from '../balance.js';
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
 * take is larger than the balance. Throws ActionHeld if the adjustment needs approval.
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

/** The data of an adjustment in its approval request. */
type HeldAdjustment = Pick<AdjustBalance, 'customerId' | 'adjustment'>;

@CommandHandler(AdjustBalance)
export class AdjustBalanceHandler implements ICommandHandler<AdjustBalance> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldAdjustment, Balance>({
      kind: 'adjust-balance',
      createCommand: (context, data) => new AdjustBalance(context, data.customerId, data.adjustment),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ currency: id }) => ({ type: 'balance', id }),
    });
  }

  async execute({ context, customerId, adjustment }: AdjustBalance): Promise<Balance> {
    const { workspaceId } = context;
    const { currency } = adjustment;
    const known = await this.customers.find(workspaceId, customerId);
    const repeated =
      known &&
      (await this.aggregates.findRepeated(
        balanceDecider,
        balanceId(workspaceId, { customerId, currency: currency ?? known.currency }),
        context,
      ));
    if (repeated) return repeated;
    const { id, command } = await this.decidedBy(context, customerId, adjustment);
    await this.gate.requireApprovalIfNeeded(context, 'balance.adjust', () =>
      this.propose(context, { customerId, adjustment }),
    );
    return (await this.aggregates.execute(balanceDecider, id, context, command)).state;
  }

  /** Returns the id of the balance, and the command for it. Throws the errors of {@link AdjustBalance} except that of a low balance. */
  private async decidedBy(
    context: CommandContext,
    customerId: string,
    { amount, reason, method, currency }: BalanceAdjustment,
  ): Promise<{ id: string; command: BalanceCommandOf<'AdjustBalance'> }> {
    const { workspaceId, now: at } = context;
    const customer = await this.customers.require(workspaceId, customerId);
    const key = { customerId, currency: currency ?? customer.currency };
    if (new Decimal(amount).isZero())
      throw InvalidRequest.field('amount', 'must not be zero; give above zero, or take below zero');
    requireWholeMinorUnits('amount', amount, key.currency);
    return {
      id: balanceId(workspaceId, key),
      command: {
        type: 'AdjustBalance',
        at,
        ...key,
        adjustmentId: idFor(context, 'adj', customerId),
        amount,
        reason,
        method,
        timezone: customer.timezone,
      },
    };
  }

  /**
   * Describes the adjustment for its approval request. The amount is above zero, also if it is taken from the customer: the term `change` has
   * the sign. Undefined if the command has run already. Throws the errors of the command.
   */
  private async propose(
    context: CommandContext,
    { customerId, adjustment }: HeldAdjustment,
  ): Promise<ProposedAction | undefined> {
    const { id, command } = await this.decidedBy(context, customerId, adjustment);
    const preview = await this.aggregates.preview(balanceDecider, id, context, command);
    if (!preview) return undefined;
    const { currency, amount: change, reason, method } = command;
    const amount = new Decimal(change).abs().toString();
    return {
      customerId,
      resource: { type: 'balance', id: currency },
      amount,
      currency,
      reason,
      effectiveAt: null,
      terms: [
        { name: 'change', value: change, isNumber: true },
        { name: 'method', value: method },
      ],
      lines: [{ description: reason, amount: change }],
      changes: [
        {
          field: 'balance',
          before: preview.before?.balance ?? '0',
          after: preview.after.balance,
          isNumber: true,
        },
      ],
      command: { kind: 'adjust-balance', data: { customerId, adjustment } },
    };
  }
}
