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
import { balanceEvents, type BalanceEvent, type CreditSource } from './events.js';

/** What we owe a customer in one currency, to be used on its next invoices. Never below zero. */
export interface Balance {
  customerId: string;
  currency: string;
  balance: DecimalString;
  /** What it was credited for: each thing once. */
  sources: string[];
  /** What was taken for each invoice and has not been returned. */
  applied: Record<string, DecimalString>;
  /** The void credit notes whose credit was taken out again. */
  debits: string[];
}

export type BalanceCommand = { customerId: string; currency: string; at: Instant } & (
  | { type: 'CreditBalance'; amount: DecimalString; source: CreditSource; sourceId: string }
  /** Takes what there is for an invoice, at most what it owes. */
  | { type: 'ApplyBalance'; invoiceId: string; owed: DecimalString }
  /** Returns what was taken for an invoice beyond what it used. */
  | { type: 'SettleBalance'; invoiceId: string; used: DecimalString }
  /** Takes out again what a credit note had added. */
  | {
      type: 'DebitBalance';
      creditNoteId: string;
      invoiceId: string;
      amount: DecimalString;
      reason: string | null;
    }
);

type Of<Type extends BalanceCommand['type']> = Extract<BalanceCommand, { type: Type }>;

export const balanceDecider = defineDecider<Balance, BalanceCommand, BalanceEvent>({
  category: 'balance',
  events: balanceEvents,
  decide(command, state) {
    const { customerId, currency } = command;
    const balance = state ?? { customerId, currency, balance: '0', sources: [], applied: {}, debits: [] };
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
  { amount, source, sourceId, at }: Of<'CreditBalance'>,
  balance: Balance,
): BalanceEvent[] {
  if (balance.sources.includes(sourceId)) return [];
  return [
    { type: 'BalanceCredited', data: { ...changed(balance, new Decimal(amount), at), source, sourceId } },
  ];
}

/** How much an invoice gets is decided once, so that whoever opens it, however often, opens it with the same. */
function applyBalance({ invoiceId, owed, at }: Of<'ApplyBalance'>, balance: Balance): BalanceEvent[] {
  if (invoiceId in balance.applied) return [];
  const amount = appliedCredit(balance.balance, owed);
  if (amount.isZero()) return [];
  return [{ type: 'BalanceApplied', data: { ...changed(balance, amount.negated(), at), invoiceId } }];
}

function settleBalance({ invoiceId, used, at }: Of<'SettleBalance'>, balance: Balance): BalanceEvent[] {
  const rest = new Decimal(balance.applied[invoiceId] ?? 0).minus(used);
  if (rest.lte(0)) return [];
  return [{ type: 'BalanceReturned', data: { ...changed(balance, rest, at), invoiceId } }];
}

/** Of a void and a payment that both want the last of the balance, the first one has it. Of two voids of one note as well. */
function debitBalance(
  { creditNoteId, invoiceId, amount, reason, at }: Of<'DebitBalance'>,
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
  const data = { ...changed(balance, new Decimal(amount).negated(), at), creditNoteId, invoiceId, reason };
  return [{ type: 'BalanceDebited', data }];
}

/** What all events have, of one that adds `change`. */
function changed({ customerId, currency, balance }: Balance, change: Decimal, at: Instant) {
  return {
    customerId,
    currency,
    at,
    amount: moneyString(change.abs(), currency),
    balance: moneyString(change.plus(balance), currency),
  };
}

function evolve(state: Balance | undefined, event: BalanceEvent): Balance {
  const { customerId, currency, balance, amount } = event.data;
  const before = state ?? { customerId, currency, balance, sources: [], applied: {}, debits: [] };
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
