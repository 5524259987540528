import { Injectable } from '@nestjs/common';
import { moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { balanceDecider, type Balance, type BalanceCommand } from './balance.js';
import type { BalanceSource } from './events.js';

/** Identifies a customer's balance: a customer has one balance in each currency. */
export interface BalanceKey {
  readonly customerId: string;
  readonly currency: string;
}

/** An invoice that can use a balance. The balance stores the used amount under the invoice's id. */
export interface BalanceKeyWithInvoice extends BalanceKey {
  readonly invoiceId: string;
}

/** Credits customer balances and applies them to invoices. Amounts of a balance have the currency's number of decimals. */
@Injectable()
export class Balances {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The available balance, which is zero if it was never credited. Below zero if the next invoice collects a debt. */
  async availableAmount(workspaceId: string, key: BalanceKey): Promise<DecimalString> {
    const state = await this.aggregates.load(balanceDecider, balanceId(workspaceId, key));
    return state?.balance ?? moneyString(sumOf([]), key.currency);
  }

  /** Returns the amount that is reserved for the invoice. If nothing was ever reserved for it, returns the whole balance. */
  async amountAvailableForInvoice(
    workspaceId: string,
    invoice: BalanceKeyWithInvoice,
  ): Promise<DecimalString> {
    const state = await this.aggregates.load(balanceDecider, balanceId(workspaceId, invoice));
    return state?.applied[invoice.invoiceId] ?? state?.balance ?? moneyString(sumOf([]), invoice.currency);
  }

  /**
   * Adds `amount` to the balance. The amount must be above zero. A second credit with the same `sourceId` changes nothing. The ledger posts
   * the amount with the event of the invoice, credit note, payment or refund that caused the credit, not with `BalanceCredited`.
   */
  async credit(
    context: CommandContext,
    key: BalanceKey,
    credit: { amount: DecimalString; source: BalanceSource; sourceId: string; invoiceId?: string },
  ): Promise<void> {
    await this.run(context, `credit ${credit.sourceId}`, {
      type: 'CreditBalance',
      ...balanceKeyOf(key),
      ...credit,
    });
  }

  /** Tells whether {@link credit} was called for a source. */
  async wasCreditedBy(workspaceId: string, key: BalanceKey, sourceId: string): Promise<boolean> {
    const state = await this.aggregates.load(balanceDecider, balanceId(workspaceId, key));
    return state?.sources.includes(sourceId) ?? false;
  }

  /**
   * Uses the balance for an invoice, and returns the used amount, which is at most `owed`. The amount is below zero if the invoice collects
   * a debt of the balance. A repeated call returns the same used amount,
   * unless it was zero or {@link returnUnusedAmount} was called. After an amount of zero, a repeated call decides again. The part that the
   * invoice does not use is returned by {@link returnUnusedAmount}.
   */
  async applyToInvoice(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    owed: DecimalString,
  ): Promise<DecimalString> {
    const { invoiceId } = invoice;
    const command = { type: 'ApplyBalance', ...balanceKeyOf(invoice), invoiceId, owed } as const;
    const { applied } = (await this.run(context, `apply to ${invoiceId}`, command)) ?? {};
    return applied?.[invoiceId] ?? moneyString(sumOf([]), invoice.currency);
  }

  /** Returns to the balance the amount that was reserved for an invoice and not used by it. A repeated call changes nothing. */
  async returnUnusedAmount(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    used: DecimalString,
  ): Promise<void> {
    const { invoiceId } = invoice;
    const command = { type: 'SettleBalance', ...balanceKeyOf(invoice), invoiceId, used } as const;
    await this.run(context, `settle ${invoiceId}`, command);
  }

  /**
   * Removes the exact amount that a credit note had added to the balance. Throws StateConflict (`credit_note_void`) if another command has
   * already removed this amount. Throws Conflict (`balance_used`) if less than the amount is left in the balance.
   */
  async removeCreditNoteAmount(
    context: CommandContext,
    key: BalanceKey,
    debit: { creditNoteId: string; invoiceId: string; amount: DecimalString; reason: string | null },
  ): Promise<void> {
    const command = { type: 'DebitBalance', ...balanceKeyOf(key), ...debit } as const;
    await this.run(context, `debit ${debit.creditNoteId}`, command);
  }

  /**
   * Takes the exact amount of a payment of an open invoice from the balance, and returns the amount that the payment took. A repeated call
   * returns the same amount, or zero if {@link returnWithdrawal} was called. Throws Conflict (`balance_too_low`) if the balance has less
   * than the amount, unless the invoice is `carried` to the next one. Then the balance can go below zero.
   */
  async withdrawForPayment(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    { paymentId, amount, carried }: { paymentId: string; amount: DecimalString; carried?: true },
  ): Promise<DecimalString> {
    const { invoiceId } = invoice;
    const command = {
      type: 'WithdrawBalance',
      ...balanceKeyOf(invoice),
      paymentId,
      invoiceId,
      amount,
      ...(carried ? { carried } : {}),
    } as const;
    const state = await this.run(context, `withdraw ${paymentId}`, command);
    return state?.withdrawn?.[paymentId] ?? moneyString(sumOf([]), invoice.currency);
  }

  /** Returns to the balance the amount that a payment took. A repeated call changes nothing. */
  async returnWithdrawal(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    paymentId: string,
  ): Promise<void> {
    const { invoiceId } = invoice;
    const command = { type: 'ReturnWithdrawal', ...balanceKeyOf(invoice), paymentId, invoiceId } as const;
    await this.run(context, `return ${paymentId}`, command);
  }

  /**
   * Removes the excess that a recorded payment had added to the balance. Throws StateConflict (`payment_reversed`) if another command has
   * already removed this excess. Throws Conflict (`balance_used`) if less than the amount is left in the balance.
   */
  async removePaymentExcess(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    excess: { paymentId: string; amount: DecimalString; reason: string },
  ): Promise<void> {
    const { invoiceId } = invoice;
    const command = { type: 'RemoveExcess', ...balanceKeyOf(invoice), invoiceId, ...excess } as const;
    await this.run(context, `remove the excess of ${excess.paymentId}`, command);
  }

  /**
   * Takes from the balance an amount that went back at the payment processor too, at most what the balance holds. `most` is the amount for
   * this refund or dispute (`returnId`) in total. A repeated call takes what was missing, if the balance holds it now.
   */
  async takeBack(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    { returnId, most }: { returnId: string; most: DecimalString },
  ): Promise<void> {
    const { invoiceId } = invoice;
    const command = { type: 'TakeBack', ...balanceKeyOf(invoice), invoiceId, returnId, most } as const;
    await this.run(context, `take back ${returnId} up to ${most}`, command);
  }

  private async run(
    context: CommandContext,
    name: string,
    command: BalanceCommand extends infer One
      ? One extends BalanceCommand
        ? Omit<One, 'at'>
        : never
      : never,
  ): Promise<Balance | undefined> {
    const { workspaceId, now: at } = context;
    const { state } = await this.aggregates.execute(
      balanceDecider,
      balanceId(workspaceId, command),
      followUpContext(context, name),
      { ...command, at },
    );
    // The state is undefined before the first event.
    return state;
  }
}

function balanceKeyOf({ customerId, currency }: BalanceKey): BalanceKey {
  return { customerId, currency };
}

/** The name of a balance's stream, for callers that read the events of the balance. */
export function balanceStream(workspaceId: string, key: BalanceKey): string {
  return `${balanceDecider.category}-${balanceId(workspaceId, key)}`;
}

/** A customer id can contain dots. In the id of a balance, the currency comes last and contains no dot, so the id is unambiguous. */
export function balanceId(workspaceId: string, { customerId, currency }: BalanceKey): string {
  return aggregateId(workspaceId, `${customerId}.${currency}`);
}
