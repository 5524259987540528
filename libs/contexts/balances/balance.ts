import {
  Conflict,
  Decimal,
  InvalidRequest,
  moneyString,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { appliedCredit } from '#libs/rating';
import { balanceEvents, type BalanceEvent, type BalanceSource } from './events.js';

/** The credit of a customer in one currency. The customer's next invoices use it. Never below zero. */
export interface Balance {
  customerId: string;
  currency: string;
  balance: DecimalString;
  /** The ids of the invoices and credit notes that credited the balance. Each credits it once. */
  sources: string[];
  /** The amount that each invoice used and that was not returned, by invoice id. */
  applied: Record<string, DecimalString>;
  /** The ids of the voided credit notes whose credit was removed again. */
  debits: string[];
}

export type BalanceCommand = { customerId: string; currency: string; at: Instant } & (
  | { type: 'CreditBalance'; amount: DecimalString; source: BalanceSource; sourceId: string }
  /** Uses the balance for an invoice. The amount is at most what the invoice owes. */
  | { type: 'ApplyBalance'; invoiceId: string; owed: DecimalString }
  /** Returns the amount that was reserved for an invoice and that the invoice did not use. */
  | { type: 'SettleBalance'; invoiceId: string; used: DecimalString }
  /** Removes the amount that a credit note had added. */
  | {
      type: 'DebitBalance';
      creditNoteId: string;
      invoiceId: string;
      amount: DecimalString;
      reason: string | null;
    }
);

type BalanceCommandOf<Type extends BalanceCommand['type']> = Extract<BalanceCommand, { type: Type }>;

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
    }
  },
  evolve,
});

function creditBalance(
  { amount, source, sourceId, at }: BalanceCommandOf<'CreditBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.sources.includes(sourceId)) return [];
  return [
    {
      type: 'BalanceCredited',
      data: { ...balanceEventData(balance, new Decimal(amount), at), source, sourceId },
    },
  ];
}

/** The amount that an invoice uses is decided only once. So every attempt to open the invoice uses the same amount. */
function applyBalance(
  { invoiceId, owed, at }: BalanceCommandOf<'ApplyBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (invoiceId in balance.applied) return [];
  const amount = appliedCredit(balance.balance, owed);
  if (amount.isZero()) return [];
  return [
    { type: 'BalanceApplied', data: { ...balanceEventData(balance, amount.negated(), at), invoiceId } },
  ];
}

function settleBalance(
  { invoiceId, used, at }: BalanceCommandOf<'SettleBalance'>,
  balance: Balance,
): BalanceEvent[] {
  const rest = new Decimal(balance.applied[invoiceId] ?? 0).minus(used);
  if (rest.lte(0)) return [];
  return [{ type: 'BalanceReturned', data: { ...balanceEventData(balance, rest, at), invoiceId } }];
}

/**
 * If a void and an invoice compete for the rest of the balance, the first one wins. If one credit note is voided twice, the first void
 * wins.
 */
function debitBalance(
  { creditNoteId, invoiceId, amount, reason, at }: BalanceCommandOf<'DebitBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.debits.includes(creditNoteId))
    throw new InvalidRequest('credit_note_void', 'The credit note is void already');
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

/** The data that all balance events contain, for an event that changes the balance by `change`. */
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
    case 'BalanceReturned': {
      const { invoiceId } = event.data;
      const left = moneyString(new Decimal(before.applied[invoiceId] ?? 0).minus(amount), currency);
      return { ...before, balance, applied: { ...before.applied, [invoiceId]: left } };
    }
    case 'BalanceDebited':
      return { ...before, balance, debits: [...before.debits, event.data.creditNoteId] };
  }
}
