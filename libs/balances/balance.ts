import { Decimal, moneyString, type DecimalString, type Instant } from '#libs/core';
import { defineDecider } from '#libs/event-store';
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
}

export type BalanceCommand = { customerId: string; currency: string; at: Instant } & (
  | { type: 'CreditBalance'; amount: DecimalString; source: CreditSource; sourceId: string }
  /** Takes what there is for an invoice, at most what it owes. */
  | { type: 'ApplyBalance'; invoiceId: string; owed: DecimalString }
  /** Returns what was taken for an invoice beyond what it used. */
  | { type: 'SettleBalance'; invoiceId: string; used: DecimalString }
);

type Of<Type extends BalanceCommand['type']> = Extract<BalanceCommand, { type: Type }>;

export const balanceDecider = defineDecider<Balance, BalanceCommand, BalanceEvent>({
  category: 'balance',
  events: balanceEvents,
  decide(command, state) {
    const { customerId, currency } = command;
    const balance = state ?? { customerId, currency, balance: '0', sources: [], applied: {} };
    switch (command.type) {
      case 'CreditBalance':
        return creditBalance(command, balance);
      case 'ApplyBalance':
        return applyBalance(command, balance);
      case 'SettleBalance':
        return settleBalance(command, balance);
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
  const before = state ?? { customerId, currency, balance, sources: [], applied: {} };
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
  }
}
