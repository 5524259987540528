import {
  Conflict,
  Decimal,
  StateConflict,
  moneyString,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { appliedBalance } from '#libs/rating';
import { balanceEvents, type BalanceEvent, type BalanceSource, type OutsidePaymentMethod } from './events.js';

/**
 * The credit of a customer in one currency. The customer's next invoices use this credit. The balance is below zero only if an invoice was
 * carried to the next one. The next invoice collects this debt.
 */
export interface Balance {
  customerId: string;
  currency: string;
  balance: DecimalString;
  /** The ids of the invoices, credit notes, payments, and refused and failed refunds that credited the balance. Each credits it once. */
  sources: string[];
  /**
   * The amount that each invoice has used and that was not returned, by invoice id. Below zero if the invoice collects a debt of the balance.
   */
  applied: Record<string, DecimalString>;
  /** The ids of the voided credit notes whose credit was removed again. */
  debits: string[];
  /**
   * The amounts that payments of open invoices took and that were not returned, by payment id. Zero after the return. Absent if no payment
   * has taken an amount yet.
   */
  withdrawn?: Record<string, DecimalString>;
  /** The ids of the reversed payments whose excess was removed again. Absent until the first one. */
  excessRemoved?: string[];
  /**
   * The amounts that were taken because they went back at the payment processor too, by the id of the refund or dispute. Absent until the
   * first one.
   */
  takenBack?: Record<string, DecimalString>;
}

export type BalanceCommand = { customerId: string; currency: string; at: Instant } & (
  | {
      type: 'CreditBalance';
      amount: DecimalString;
      source: BalanceSource;
      sourceId: string;
      /** The later invoice that gave back the amount of a refused or failed refund. Absent for other sources. */
      invoiceId?: string;
    }
  /**
   * Uses the balance for an invoice. The used amount is at most the amount that the invoice owes. A balance below zero is used whole, unless
   * the invoice owes nothing.
   */
  | { type: 'ApplyBalance'; invoiceId: string; owed: DecimalString }
  /** Returns the amount that was reserved for an invoice and that the invoice did not use. */
  | { type: 'SettleBalance'; invoiceId: string; used: DecimalString }
  /** Removes the amount that a credit note had added to the balance. */
  | {
      type: 'DebitBalance';
      creditNoteId: string;
      invoiceId: string;
      amount: DecimalString;
      reason: string | null;
    }
  /**
   * Takes the exact amount of a payment of an open invoice from the balance. With `carried`, the balance can go below zero, because the
   * invoice is carried to the next one.
   */
  | {
      type: 'WithdrawBalance';
      paymentId: string;
      invoiceId: string;
      amount: DecimalString;
      carried?: true;
    }
  /** Returns the amount that a payment took, because the invoice does not need it or the payment was reversed. */
  | { type: 'ReturnWithdrawal'; paymentId: string; invoiceId: string }
  /** Removes the excess that a recorded payment had added to the balance. */
  | { type: 'RemoveExcess'; paymentId: string; invoiceId: string; amount: DecimalString; reason: string }
  /** Takes what went back at the payment processor too, at most `most` in total for `returnId`, and at most what the balance holds. */
  | { type: 'TakeBack'; returnId: string; invoiceId: string; most: DecimalString }
  /** Changes the balance by an amount. An amount below zero is taken from the customer. */
  | {
      type: 'AdjustBalance';
      adjustmentId: string;
      amount: DecimalString;
      reason: string;
      method: OutsidePaymentMethod | null;
      timezone: string;
    }
);

/** The commands of one type. */
export type BalanceCommandOf<Type extends BalanceCommand['type']> = Extract<BalanceCommand, { type: Type }>;

/** The balance of a customer before its first event. */
function initialState({ customerId, currency }: Pick<Balance, 'customerId' | 'currency'>): Balance {
  return { customerId, currency, balance: '0', sources: [], applied: {}, debits: [] };
}

export const balanceDecider = defineDecider<Balance, BalanceCommand, BalanceEvent>({
  category: 'balance',
  events: balanceEvents,
  decide(command, balance = initialState(command)) {
    switch (command.type) {
      case 'CreditBalance':
        return creditBalance(command, balance);
      case 'ApplyBalance':
        return applyBalance(command, balance);
      case 'SettleBalance':
        return settleBalance(command, balance);
      case 'DebitBalance':
        return debitBalance(command, balance);
      case 'WithdrawBalance':
        return withdrawBalance(command, balance);
      case 'ReturnWithdrawal':
        return returnWithdrawal(command, balance);
      case 'RemoveExcess':
        return removeExcess(command, balance);
      case 'TakeBack':
        return takeBack(command, balance);
      case 'AdjustBalance':
        return adjustBalance(command, balance);
    }
  },
  evolve,
});

function creditBalance(
  { amount, source, sourceId, invoiceId, at }: BalanceCommandOf<'CreditBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.sources.includes(sourceId)) return [];
  return [
    {
      type: 'BalanceCredited',
      data: {
        ...balanceEventData(balance, new Decimal(amount), at),
        source,
        sourceId,
        ...(invoiceId === undefined ? {} : { invoiceId }),
      },
    },
  ];
}

/**
 * The amount that an invoice uses from the balance is decided only once, unless it is zero. So every later attempt to open the invoice uses
 * the same amount. While the balance is zero, nothing is recorded, and a later attempt decides again.
 */
function applyBalance(
  { invoiceId, owed, at }: BalanceCommandOf<'ApplyBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (invoiceId in balance.applied) return [];
  const amount = appliedBalance(balance.balance, owed);
  if (amount.isZero()) return [];
  const data = { ...balanceEventData(balance, amount.negated(), at), invoiceId };
  return [{ type: amount.isNegative() ? 'BalanceDebtApplied' : 'BalanceApplied', data }];
}

function settleBalance(
  { invoiceId, used, at }: BalanceCommandOf<'SettleBalance'>,
  balance: Balance,
): BalanceEvent[] {
  const applied = new Decimal(balance.applied[invoiceId] ?? 0);
  // An invoice that uses credit collects no debt, and the reverse.
  const rest = applied.minus(applied.lt(0) ? Decimal.min(used, 0) : Decimal.max(used, 0));
  if (applied.lt(0)) {
    if (rest.gte(0)) return [];
    return [{ type: 'BalanceDebtReturned', data: { ...balanceEventData(balance, rest, at), invoiceId } }];
  }
  if (rest.lte(0)) return [];
  return [{ type: 'BalanceReturned', data: { ...balanceEventData(balance, rest, at), invoiceId } }];
}

/**
 * The balance can be too small for both the void of a credit note and an invoice. Then the one that is decided first gets its amount. If a
 * credit note is voided twice at the same time, the second void is refused.
 */
function debitBalance(
  { creditNoteId, invoiceId, amount, reason, at }: BalanceCommandOf<'DebitBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.debits.includes(creditNoteId))
    throw new StateConflict('credit_note_void', 'The credit note is void already');
  if (new Decimal(balance.balance).lt(amount)) {
    const { customerId, currency } = balance;
    throw new Conflict(
      'balance_used',
      `The credit note added ${amount} ${currency} to the balance of customer "${customerId}", which holds ` +
        `${moneyString(new Decimal(balance.balance), currency)} ${currency} now: the rest has paid for invoices. The note stays as it is; charge the ` +
        'amount with POST /v1/invoices instead',
    );
  }
  const data = {
    ...balanceEventData(balance, new Decimal(amount).negated(), at),
    creditNoteId,
    invoiceId,
    reason,
  };
  return [{ type: 'BalanceDebited', data }];
}

/** A payment takes its amount from the balance only once. A repeated command changes nothing, also after the amount was returned. */
function withdrawBalance(
  { paymentId, invoiceId, amount, carried, at }: BalanceCommandOf<'WithdrawBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.withdrawn?.[paymentId] !== undefined) return [];
  if (!carried && new Decimal(balance.balance).lt(amount)) throw balanceTooLow(amount, balance);
  const data = {
    ...balanceEventData(balance, new Decimal(amount).negated(), at),
    paymentId,
    invoiceId,
    ...(carried ? { carried } : {}),
  };
  return [{ type: 'BalanceWithdrawn', data }];
}

function returnWithdrawal(
  { paymentId, invoiceId, at }: BalanceCommandOf<'ReturnWithdrawal'>,
  balance: Balance,
): BalanceEvent[] {
  const amount = new Decimal(balance.withdrawn?.[paymentId] ?? 0);
  if (amount.isZero()) return [];
  const data = { ...balanceEventData(balance, amount, at), paymentId, invoiceId };
  return [{ type: 'BalanceWithdrawalReturned', data }];
}

/**
 * The balance can be too small for both the reversal of a payment and an invoice. Then the one that is decided first gets its amount. If a
 * payment is reversed twice at the same time, the second reversal is refused.
 */
function removeExcess(
  { paymentId, invoiceId, amount, reason, at }: BalanceCommandOf<'RemoveExcess'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.excessRemoved?.includes(paymentId))
    throw new StateConflict('payment_reversed', 'The payment is reversed already');
  if (new Decimal(balance.balance).lt(amount)) {
    const { customerId, currency } = balance;
    throw new Conflict(
      'balance_used',
      `The payment added ${amount} ${currency} to the balance of customer "${customerId}", which holds ` +
        `${moneyString(new Decimal(balance.balance), currency)} ${currency} now. Give the customer the difference first, with ` +
        `POST /v1/customers/${customerId}/balance, or reverse the payments that used the balance`,
    );
  }
  const data = {
    ...balanceEventData(balance, new Decimal(amount).negated(), at),
    paymentId,
    invoiceId,
    reason,
  };
  return [{ type: 'BalanceExcessRemoved', data }];
}

function takeBack(
  { returnId, invoiceId, most, at }: BalanceCommandOf<'TakeBack'>,
  balance: Balance,
): BalanceEvent[] {
  const before = balance.takenBack?.[returnId] ?? '0';
  const amount = Decimal.min(new Decimal(most).minus(before), balance.balance);
  if (amount.lte(0)) return [];
  const total = moneyString(amount.plus(before), balance.currency);
  const data = { ...balanceEventData(balance, amount.negated(), at), returnId, invoiceId, total };
  return [{ type: 'BalanceTakenBack', data }];
}

function adjustBalance(
  { adjustmentId, amount, reason, method, timezone, at }: BalanceCommandOf<'AdjustBalance'>,
  balance: Balance,
): BalanceEvent[] {
  const change = new Decimal(amount);
  if (change.isNegative() && change.plus(balance.balance).isNegative())
    throw balanceTooLow(change.abs().toFixed(), balance);
  const data = {
    ...balanceEventData(balance, change, at),
    adjustmentId,
    change: change.isNegative() ? ('taken' as const) : ('given' as const),
    reason,
    ...(method === null ? {} : { method }),
    timezone,
  };
  return [{ type: 'BalanceAdjusted', data }];
}

/** Returns the error for an amount that is larger than the balance: Conflict (`balance_too_low`). */
function balanceTooLow(amount: DecimalString, { customerId, currency, balance }: Balance): Conflict {
  const money = (of: DecimalString) => `${moneyString(new Decimal(of), currency)} ${currency}`;
  return new Conflict(
    'balance_too_low',
    `The balance of customer "${customerId}" holds ${money(balance)}, which is less than ${money(amount)}; take at most what it holds`,
  );
}

/** The fields that all balance events contain, for an event that changes the balance by `change`. */
function balanceEventData({ customerId, currency, balance }: Balance, change: Decimal, at: Instant) {
  return {
    customerId,
    currency,
    at,
    amount: moneyString(change.abs(), currency),
    balance: moneyString(change.plus(balance), currency),
  };
}

function evolve(state: Balance | undefined, event: BalanceEvent): Balance {
  const before = state ?? initialState(event.data);
  const { currency, balance, amount } = event.data;
  switch (event.type) {
    case 'BalanceCredited':
      return { ...before, balance, sources: [...before.sources, event.data.sourceId] };
    case 'BalanceApplied':
      return { ...before, balance, applied: { ...before.applied, [event.data.invoiceId]: amount } };
    case 'BalanceDebtApplied':
      return { ...before, balance, applied: { ...before.applied, [event.data.invoiceId]: `-${amount}` } };
    case 'BalanceDebtReturned': {
      const { invoiceId } = event.data;
      const left = moneyString(new Decimal(before.applied[invoiceId] ?? 0).plus(amount), currency);
      return { ...before, balance, applied: { ...before.applied, [invoiceId]: left } };
    }
    case 'BalanceReturned': {
      const { invoiceId } = event.data;
      const left = moneyString(new Decimal(before.applied[invoiceId] ?? 0).minus(amount), currency);
      return { ...before, balance, applied: { ...before.applied, [invoiceId]: left } };
    }
    case 'BalanceDebited':
      return { ...before, balance, debits: [...before.debits, event.data.creditNoteId] };
    case 'BalanceWithdrawn':
      return { ...before, balance, withdrawn: { ...before.withdrawn, [event.data.paymentId]: amount } };
    case 'BalanceWithdrawalReturned': {
      const nothing = moneyString(new Decimal(0), currency);
      return { ...before, balance, withdrawn: { ...before.withdrawn, [event.data.paymentId]: nothing } };
    }
    case 'BalanceExcessRemoved':
      return { ...before, balance, excessRemoved: [...(before.excessRemoved ?? []), event.data.paymentId] };
    case 'BalanceTakenBack': {
      const { returnId, total } = event.data;
      return { ...before, balance, takenBack: { ...before.takenBack, [returnId]: total } };
    }
    case 'BalanceAdjusted':
      return { ...before, balance };
  }
}
