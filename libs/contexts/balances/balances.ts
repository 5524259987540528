import { Injectable } from '@nestjs/common';
import { moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { AggregateStore, follow, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { balanceDecider, type Balance, type BalanceCommand } from './balance.js';
import type { CreditSource } from './events.js';

/** A customer's balance in one currency. */
export interface BalanceKey {
  readonly customerId: string;
  readonly currency: string;
}

/** An invoice that a balance may be used for, by whose id its use is known. */
export interface InvoiceOnBalance extends BalanceKey {
  readonly invoiceId: string;
}

/** Customer balances: what is credited to them, and what invoices use. Amounts have the currency's digits. */
@Injectable()
export class Balances {
  constructor(private readonly aggregates: AggregateStore) {}

  /** What there is to be used; zero if there never was any. */
  async available(workspaceId: string, key: BalanceKey): Promise<DecimalString> {
    const state = await this.aggregates.load(balanceDecider, idOf(workspaceId, key));
    return state?.balance ?? moneyString(sumOf([]), key.currency);
  }

  /** What an invoice would get: what was taken for it, which is decided once, or else what there is. */
  async availableFor(workspaceId: string, invoice: InvoiceOnBalance): Promise<DecimalString> {
    const state = await this.aggregates.load(balanceDecider, idOf(workspaceId, invoice));
    return state?.applied[invoice.invoiceId] ?? state?.balance ?? moneyString(sumOf([]), invoice.currency);
  }

  /**
   * Adds `amount`, which must be above zero. Once for each `sourceId`: a second time changes nothing. The ledger posts it with the
   * event that it follows from (an invoice's opening, a credit note), not with the balance's own.
   */
  async credit(
    context: CommandContext,
    key: BalanceKey,
    credit: { amount: DecimalString; source: CreditSource; sourceId: string },
  ): Promise<void> {
    await this.run(context, `credit ${credit.sourceId}`, { type: 'CreditBalance', ...keyOf(key), ...credit });
  }

  /** Whether {@link credit} has been done for a source. */
  async hasCredit(workspaceId: string, key: BalanceKey, sourceId: string): Promise<boolean> {
    const state = await this.aggregates.load(balanceDecider, idOf(workspaceId, key));
    return state?.sources.includes(sourceId) ?? false;
  }

  /**
   * Takes what there is for an invoice, at most what it owes, and answers what was taken; the same however often it is asked.
   * What the invoice then does not use is returned by {@link settle}.
   */
  async apply(
    context: CommandContext,
    invoice: InvoiceOnBalance,
    owed: DecimalString,
  ): Promise<DecimalString> {
    const { invoiceId } = invoice;
    const command = { type: 'ApplyBalance', ...keyOf(invoice), invoiceId, owed } as const;
    const { applied } = (await this.run(context, `apply to ${invoiceId}`, command)) ?? {};
    return applied?.[invoiceId] ?? moneyString(sumOf([]), invoice.currency);
  }

  /** Returns what was taken for an invoice beyond what it used; nothing for a second time. */
  async settle(context: CommandContext, invoice: InvoiceOnBalance, used: DecimalString): Promise<void> {
    const { invoiceId } = invoice;
    const command = { type: 'SettleBalance', ...keyOf(invoice), invoiceId, used } as const;
    await this.run(context, `settle ${invoiceId}`, command);
  }

  /**
   * Takes out again what a credit note had added, to the cent. InvalidRequest (`credit_note_void`) if another command has done so,
   * Conflict (`balance_used`) if the balance does not hold it any more.
   */
  async debit(
    context: CommandContext,
    key: BalanceKey,
    debit: { creditNoteId: string; invoiceId: string; amount: DecimalString; reason: string | null },
  ): Promise<void> {
    const command = { type: 'DebitBalance', ...keyOf(key), ...debit } as const;
    await this.run(context, `debit ${debit.creditNoteId}`, command);
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
      idOf(workspaceId, command),
      follow(context, name),
      { ...command, at },
    );
    // There is none before the first event.
    return state;
  }
}

function keyOf({ customerId, currency }: BalanceKey): BalanceKey {
  return { customerId, currency };
}

/** The stream of a balance, for those who look into the past. */
export function balanceStream(workspaceId: string, key: BalanceKey): string {
  return `${balanceDecider.category}-${idOf(workspaceId, key)}`;
}

/** Customers' ids may have dots; currencies, which come last, have none. */
function idOf(workspaceId: string, { customerId, currency }: BalanceKey): string {
  return aggregateId(workspaceId, `${customerId}.${currency}`);
}
