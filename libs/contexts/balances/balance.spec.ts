import { deepStrictEqual } from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError, Decimal, sumOf } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import { decide } from '#libs/kernel/testing';
import { balanceDecider, type Balance, type BalanceCommand } from './balance.js';
import type { BalanceEvent } from './events.js';

const at = '2026-02-01T00:00:00.000Z';
const about = { customerId: 'cust_1', currency: 'USD' };

const credit = (amount: string, sourceId = 'inv_1'): BalanceCommand => ({
  type: 'CreditBalance',
  ...about,
  at,
  amount,
  source: 'invoice',
  sourceId,
});
const apply = (owed: string, invoiceId = 'inv_2'): BalanceCommand => ({
  type: 'ApplyBalance',
  ...about,
  at,
  invoiceId,
  owed,
});
const settle = (used: string, invoiceId = 'inv_2'): BalanceCommand => ({
  type: 'SettleBalance',
  ...about,
  at,
  invoiceId,
  used,
});
const credited = (amount: string, balance: string, sourceId = 'inv_1'): BalanceEvent => ({
  type: 'BalanceCredited',
  data: { ...about, at, amount, balance, source: 'invoice', sourceId },
});
const applied = (amount: string, balance: string, invoiceId = 'inv_2'): BalanceEvent => ({
  type: 'BalanceApplied',
  data: { ...about, at, amount, balance, invoiceId },
});
const returned = (amount: string, balance: string, invoiceId = 'inv_2'): BalanceEvent => ({
  type: 'BalanceReturned',
  data: { ...about, at, amount, balance, invoiceId },
});

const debit = (amount: string, creditNoteId = 'cn_1'): BalanceCommand => ({
  type: 'DebitBalance',
  ...about,
  at,
  amount,
  creditNoteId,
  invoiceId: 'inv_1',
  reason: 'A mistake',
});
const debited = (amount: string, balance: string, creditNoteId = 'cn_1'): BalanceEvent => ({
  type: 'BalanceDebited',
  data: { ...about, at, amount, balance, creditNoteId, invoiceId: 'inv_1', reason: 'A mistake' },
});

const withdraw = (amount: string, paymentId = 'rpay_1'): BalanceCommand => ({
  type: 'WithdrawBalance',
  ...about,
  at,
  amount,
  paymentId,
  invoiceId: 'inv_2',
});
const giveBack = (paymentId = 'rpay_1'): BalanceCommand => ({
  type: 'ReturnWithdrawal',
  ...about,
  at,
  paymentId,
  invoiceId: 'inv_2',
});
const ofPayment = (
  type: 'BalanceWithdrawn' | 'BalanceWithdrawalReturned',
  amount: string,
  balance: string,
): BalanceEvent => ({
  type,
  data: { ...about, at, amount, balance, paymentId: 'rpay_1', invoiceId: 'inv_2' },
});

const carry = (amount: string, paymentId = 'rpay_1'): BalanceCommand => ({
  type: 'WithdrawBalance',
  ...about,
  at,
  amount,
  paymentId,
  invoiceId: 'inv_1',
  carried: true,
});
const carried = (amount: string, balance: string): BalanceEvent => ({
  type: 'BalanceWithdrawn',
  data: { ...about, at, amount, balance, paymentId: 'rpay_1', invoiceId: 'inv_1', carried: true },
});
const ofDebt = (
  type: 'BalanceDebtApplied' | 'BalanceDebtReturned',
  amount: string,
  balance: string,
): BalanceEvent => ({ type, data: { ...about, at, amount, balance, invoiceId: 'inv_2' } });

const removeExcess = (amount: string): BalanceCommand => ({
  type: 'RemoveExcess',
  ...about,
  at,
  amount,
  paymentId: 'rpay_1',
  invoiceId: 'inv_2',
  reason: 'Bounced',
});
const excessRemoved = (amount: string, balance: string): BalanceEvent => ({
  type: 'BalanceExcessRemoved',
  data: { ...about, at, amount, balance, paymentId: 'rpay_1', invoiceId: 'inv_2', reason: 'Bounced' },
});

const takeBack = (most: string, returnId = 're_1'): BalanceCommand => ({
  type: 'TakeBack',
  ...about,
  at,
  most,
  returnId,
  invoiceId: 'inv_2',
});
const takenBack = (amount: string, total: string, balance: string): BalanceEvent => ({
  type: 'BalanceTakenBack',
  data: { ...about, at, amount, balance, total, returnId: 're_1', invoiceId: 'inv_2' },
});

const adjust = (amount: string, method: 'cash' | null = null): BalanceCommand => ({
  type: 'AdjustBalance',
  ...about,
  at,
  amount,
  adjustmentId: 'adj_1',
  reason: 'Goodwill',
  method,
  timezone: 'UTC',
});
const adjusted = (amount: string, balance: string, change: 'given' | 'taken', more = {}): BalanceEvent => ({
  type: 'BalanceAdjusted',
  data: {
    ...about,
    at,
    amount,
    balance,
    adjustmentId: 'adj_1',
    change,
    reason: 'Goodwill',
    timezone: 'UTC',
    ...more,
  },
});

const { given } = decide(balanceDecider);

describe("a customer's balance", () => {
  it('is credited once for each invoice or credit note', () => {
    given().when(credit('30.00')).then(credited('30.00', '30.00'));
    given(credited('30.00', '30.00')).when(credit('30.00')).then();
    given(credited('30.00', '30.00'))
      .when(credit('5.00', 'cn_1'))
      .then(credited('5.00', '35.00', 'cn_1'));
  });

  it('is credited for a refused refund beside the rest of the same invoice, and names that invoice', () => {
    const refund = { amount: '12.00', source: 'refund', sourceId: 'ref_1', invoiceId: 'inv_1' } as const;
    const event: BalanceEvent = {
      type: 'BalanceCredited',
      data: { ...about, at, balance: '42.00', ...refund },
    };
    const command: BalanceCommand = { type: 'CreditBalance', ...about, at, ...refund };
    given(credited('30.00', '30.00')).when(command).then(event);
    given(credited('30.00', '30.00'), event).when(command).then();
  });

  it('pays for an invoice as much as it holds, at most what the invoice owes', () => {
    given(credited('30.00', '30.00')).when(apply('20.00')).then(applied('20.00', '10.00'));
    given(credited('30.00', '30.00')).when(apply('45.00')).then(applied('30.00', '0.00'));
    given(credited('30.00', '30.00')).when(apply('0.00')).then();
    given().when(apply('20.00')).then();
  });

  it('decides the amount for an invoice once, even if the balance or the invoice changes later', () => {
    given(credited('30.00', '30.00'), applied('20.00', '10.00')).when(apply('45.00')).then();
    given(credited('30.00', '30.00'), applied('20.00', '10.00'), returned('20.00', '30.00'))
      .when(apply('20.00'))
      .then();
  });

  it('gets back once what an invoice did not use, and everything from a voided invoice', () => {
    const used = [credited('30.00', '30.00'), applied('20.00', '10.00')];
    given(...used)
      .when(settle('15.00'))
      .then(returned('5.00', '15.00'));
    given(...used)
      .when(settle('20.00'))
      .then();
    given(...used, returned('5.00', '15.00'))
      .when(settle('15.00'))
      .then();
    given(...used, returned('5.00', '15.00'))
      .when(settle('0'))
      .then(returned('15.00', '30.00'));
    given(credited('30.00', '30.00')).when(settle('0')).then();
  });

  it('is debited once for a voided credit note', () => {
    const added = credited('30.00', '35.00', 'cn_1');
    given(added).when(debit('30.00')).then(debited('30.00', '5.00'));
    given(added, debited('30.00', '5.00')).when(debit('30.00')).refused('credit_note_void');
    // Every process that issues the note can credit it, so a repetition is allowed.
    given(added, debited('30.00', '5.00')).when(credit('30.00', 'cn_1')).then();
    given(added, debited('30.00', '5.00'))
      .when(debit('5.00', 'cn_2'))
      .then(debited('5.00', '0.00', 'cn_2'));
  });

  it('is not debited below zero, but can be debited after an amount was returned', () => {
    const used = [credited('30.00', '30.00', 'cn_1'), applied('20.00', '10.00')];
    given(...used)
      .when(debit('30.00'))
      .refused('balance_used');
    given(...used)
      .when(debit('10.01'))
      .refused('balance_used');
    given(...used, returned('20.00', '30.00'))
      .when(debit('30.00'))
      .then(debited('30.00', '0.00'));
  });

  it('pays an open invoice with the exact amount, once, and gets it back once', () => {
    const taken = ofPayment('BalanceWithdrawn', '20.00', '10.00');
    const returnedAgain = ofPayment('BalanceWithdrawalReturned', '20.00', '30.00');
    given(credited('30.00', '30.00')).when(withdraw('20.00')).then(taken);
    given(credited('30.00', '30.00')).when(withdraw('30.01')).refused('balance_too_low');
    given(credited('30.00', '30.00'), taken).when(withdraw('20.00')).then();
    given(credited('30.00', '30.00'), taken).when(giveBack()).then(returnedAgain);
    given(credited('30.00', '30.00'), taken, returnedAgain).when(giveBack()).then();
    // The invoice has refused the payment by then, so its amount must stay where it is.
    given(credited('30.00', '30.00'), taken, returnedAgain).when(withdraw('20.00')).then();
    given(credited('30.00', '30.00')).when(giveBack()).then();
  });

  it('loses the excess of a reversed payment once, provided that it still holds it', () => {
    given(credited('30.00', '30.00')).when(removeExcess('20.00')).then(excessRemoved('20.00', '10.00'));
    given(credited('30.00', '30.00'), excessRemoved('20.00', '10.00'))
      .when(removeExcess('20.00'))
      .refused('payment_reversed');
    given(credited('30.00', '30.00'), applied('20.00', '10.00'))
      .when(removeExcess('20.00'))
      .refused('balance_used');
  });

  it('loses what went back at the processor too, once, as far as it holds it', () => {
    const before = credited('20.00', '20.00');
    given(before)
      .when(takeBack('7.00'))
      .then(takenBack('7.00', '7.00', '13.00'));
    given(before, takenBack('7.00', '7.00', '13.00'))
      .when(takeBack('7.00'))
      .then();
    given(before, takenBack('7.00', '7.00', '13.00'))
      .when(takeBack('30.00'))
      .then(takenBack('13.00', '20.00', '0.00'));
    given().when(takeBack('7.00')).then();
  });

  it('is adjusted by users, but not below zero', () => {
    given()
      .when(adjust('25'))
      .then(adjusted('25.00', '25.00', 'given'));
    given(credited('30.00', '30.00'))
      .when(adjust('-30', 'cash'))
      .then(adjusted('30.00', '0.00', 'taken', { method: 'cash' }));
    given(credited('30.00', '30.00')).when(adjust('-30.01')).refused('balance_too_low');
  });

  it('has the number of decimals of its currency', () => {
    const yen = { ...credit('3000'), currency: 'JPY' };
    given()
      .when(yen)
      .then({
        type: 'BalanceCredited',
        data: {
          ...about,
          currency: 'JPY',
          at,
          amount: '3000',
          balance: '3000',
          source: 'invoice',
          sourceId: 'inv_1',
        },
      });
  });
});

describe('any history of a balance', () => {
  const amount = fc
    .integer({ min: 1, max: 9_999 })
    .map((cents) => new Decimal(cents).dividedBy(100).toFixed(2));
  const id = fc.constantFrom('inv_1', 'inv_2', 'inv_3');
  const command = fc.oneof(
    fc.tuple(amount, fc.constantFrom('a', 'b', 'c', 'd')).map(([of, source]) => credit(of, source)),
    fc.tuple(amount, id).map(([of, invoice]) => apply(of, invoice)),
    fc.tuple(amount, id).map(([of, invoice]) => settle(of, invoice)),
    fc.tuple(amount, id).map(([of, invoice]) => settle(`-${of}`, invoice)),
    id.map((invoice) => settle('0', invoice)),
    fc.tuple(amount, fc.constantFrom('a', 'b', 'c', 'd')).map(([of, source]) => debit(of, source)),
    fc.tuple(amount, fc.constantFrom('rpay_1', 'rpay_2')).map(([of, payment]) => withdraw(of, payment)),
    fc.tuple(amount, fc.constantFrom('rpay_3', 'rpay_4')).map(([of, payment]) => carry(of, payment)),
    fc.constantFrom('rpay_1', 'rpay_2', 'rpay_3', 'rpay_4').map((payment) => giveBack(payment)),
    amount.map((of) => removeExcess(of)),
    fc.tuple(amount, fc.constantFrom('re_1', 're_2')).map(([of, refund]) => takeBack(of, refund)),
    fc.tuple(amount, fc.constantFrom('', '-')).map(([of, sign]) => adjust(`${sign}${of}`)),
  );

  /** A refused command leads to no events. */
  const decided = (one: BalanceCommand, state: Balance | undefined): BalanceEvent[] => {
    try {
      return balanceDecider.decide(one, state);
    } catch (error) {
      if (error instanceof AppError) return [];
      throw error;
    }
  };

  it('is below zero by carried amounts only, and equals the credits less the amounts that invoices use', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const events: BalanceEvent[] = [];
        for (const one of commands) events.push(...decided(one, fold(balanceDecider, events)));
        const state = fold(balanceDecider, events);
        if (!state) return;
        const sums = (type: BalanceEvent['type']) =>
          sumOf(events.filter((event) => event.type === type).map(({ data }) => data.amount));
        const carriedInAll = sumOf(
          events.flatMap(({ type, data }) =>
            type === 'BalanceWithdrawn' && data.carried ? [data.amount] : [],
          ),
        );
        const kept = Object.values(state.applied).map((of) => new Decimal(of));
        const collectedNow = kept.reduce((sum, of) => sum.plus(Decimal.min(of, 0)), new Decimal(0));
        const owed = Decimal.min(state.balance, 0).plus(collectedNow).negated();
        expect(owed.lte(carriedInAll)).toBe(true);
        const ofUsers = sumOf(
          events.flatMap(({ type, data }) =>
            type === 'BalanceAdjusted' ? (data.change === 'given' ? data.amount : `-${data.amount}`) : [],
          ),
        );
        const left = sums('BalanceCredited')
          .minus(sums('BalanceApplied'))
          .plus(sums('BalanceReturned'))
          .plus(sums('BalanceDebtApplied'))
          .minus(sums('BalanceDebtReturned'))
          .minus(sums('BalanceDebited'))
          .minus(sums('BalanceWithdrawn'))
          .plus(sums('BalanceWithdrawalReturned'))
          .minus(sums('BalanceExcessRemoved'))
          .minus(sums('BalanceTakenBack'))
          .plus(ofUsers);
        deepStrictEqual(state.balance, left.toFixed(2));
        // An invoice keeps at most what it was given, or the debt that it collected.
        for (const [invoiceId, now] of Object.entries(state.applied)) {
          const first = events.find(
            ({ type, data }) =>
              (type === 'BalanceApplied' || type === 'BalanceDebtApplied') && data.invoiceId === invoiceId,
          )!;
          const given = new Decimal(first.data.amount).times(first.type === 'BalanceApplied' ? 1 : -1);
          expect(new Decimal(now).gte(Decimal.min(given, 0))).toBe(true);
          expect(new Decimal(now).lte(Decimal.max(given, 0))).toBe(true);
        }
      }),
    );
  });
});

describe('a balance below zero', () => {
  const debt = carried('0.30', '-0.30');
  const collected = ofDebt('BalanceDebtApplied', '0.30', '0.00');

  it('comes only of an invoice that is carried to the next one', () => {
    given().when(carry('0.30')).then(debt);
    given(debt).when(carry('0.30')).then();
    given(credited('0.10', '0.10')).when(carry('0.30')).then(carried('0.30', '-0.20'));
    given(debt).when(withdraw('0.10', 'rpay_2')).refused('balance_too_low');
    given(debt).when(adjust('-0.10')).refused('balance_too_low');
  });

  it('is collected whole by the next invoice that owes something, and once', () => {
    given(debt).when(apply('10.00')).then(collected);
    given(debt).when(apply('0.10')).then(collected);
    given(debt).when(apply('0.00')).then();
    given(debt, collected).when(apply('10.00')).then();
    given(debt, collected).when(apply('10.00', 'inv_3')).then();
  });

  it('is owed again if that invoice is voided or opened without it', () => {
    given(debt, collected).when(settle('-0.30')).then();
    given(debt, collected)
      .when(settle('0'))
      .then(ofDebt('BalanceDebtReturned', '0.30', '-0.30'));
    given(debt, collected, ofDebt('BalanceDebtReturned', '0.30', '-0.30'))
      .when(settle('0'))
      .then();
  });

  it('is owed again at most as far as the invoice collected it', () => {
    given(debt, collected)
      .when(settle('5.00'))
      .then(ofDebt('BalanceDebtReturned', '0.30', '-0.30'));
    given(debt, collected).when(settle('-0.50')).then();
  });

  it('is lowered by what is given to it, also if it stays below zero', () => {
    given(debt).when(credit('5.00')).then(credited('5.00', '4.70'));
    given(debt)
      .when(adjust('0.10', 'cash'))
      .then(adjusted('0.10', '-0.20', 'given', { method: 'cash' }));
  });

  it('ends if the carried amount is returned', () => {
    const back = ofPayment('BalanceWithdrawalReturned', '0.30', '0.00');
    given(debt)
      .when({ ...giveBack(), invoiceId: 'inv_1' } as BalanceCommand)
      .then({ ...back, data: { ...back.data, invoiceId: 'inv_1' } } as BalanceEvent);
  });
});
