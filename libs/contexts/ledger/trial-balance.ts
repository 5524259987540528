import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import {
  ACCOUNT_CODES,
  accountKeyText,
  CHART_OF_ACCOUNTS,
  type AccountKey,
  type AccountType,
} from './accounts.js';
import type { LedgerTransaction } from './transaction.js';

/** The balance of an account in one currency. The balance is positive for a debit balance and negative for a credit balance. */
export interface AccountBalance extends AccountKey {
  readonly currency: string;
  readonly balance: DecimalString;
}

/** A balance as the amounts of a debit column and a credit column. The debit and credit amounts have the currency's number of decimals. */
export interface DebitAndCredit {
  readonly debit: DecimalString;
  readonly credit: DecimalString;
}

/** Returns a balance as column amounts: a positive `amount` in the debit column, a negative one in the credit column. */
export function debitAndCreditOf(amount: DecimalString, currency: string): DebitAndCredit {
  const sum = new Decimal(amount);
  const column = (side: Decimal): DecimalString => moneyString(Decimal.max(side, 0), currency);
  return { debit: column(sum), credit: column(sum.negated()) };
}

/** Sums the postings of transactions by account and currency. */
export class AccountBalances {
  private readonly sums = new Map<string, { key: AccountKey; currency: string; sum: Decimal }>();

  addTransaction({ currency, postings }: Pick<LedgerTransaction, 'currency' | 'postings'>): void {
    for (const { account, detail, amount } of postings) {
      const name = `${currency} ${accountKeyText({ account, detail })}`;
      const before = this.sums.get(name);
      if (before) before.sum = before.sum.plus(amount);
      else this.sums.set(name, { key: { account, detail }, currency, sum: new Decimal(amount) });
    }
  }

  /** The balances of all accounts that have a posting, in each currency. */
  list(): AccountBalance[] {
    return [...this.sums.values()].map(({ key, currency, sum }) => ({
      ...key,
      currency,
      balance: moneyString(sum, currency),
    }));
  }
}

/** An account's line of a trial balance. */
export interface TrialBalanceLine extends AccountKey, DebitAndCredit {
  /** The account's number in the chart of accounts. */
  readonly number: string;
  readonly name: string;
  readonly type: AccountType;
}

/** The balances of a workspace in one currency, with the sum of each column. The debit sum and the credit sum are equal. */
export interface TrialBalance extends DebitAndCredit {
  readonly currency: string;
  readonly accounts: TrialBalanceLine[];
}

/**
 * A trial balance for each currency in `balances`, with the whole chart of accounts. An account that is divided by price or tax rate has
 * one line for each price or tax rate with postings. The balance of an account without postings is zero.
 */
export function trialBalances(balances: readonly AccountBalance[]): TrialBalance[] {
  return [...Map.groupBy(balances, ({ currency }) => currency)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, ofCurrency]) => {
      const accounts = ACCOUNT_CODES.flatMap((code) => {
        const known = ofCurrency.filter(({ account }) => account === code);
        const none: AccountBalance = { account: code, detail: null, currency, balance: '0' };
        return (known.length === 0 ? [none] : known.toSorted(byDetail)).map(lineOf);
      });
      const total = (column: 'debit' | 'credit'): DecimalString =>
        moneyString(sumOf(accounts.map((line) => line[column])), currency);
      return { currency, accounts, debit: total('debit'), credit: total('credit') };
    });
}

function lineOf({ account, detail, currency, balance }: AccountBalance): TrialBalanceLine {
  const { number, name, type } = CHART_OF_ACCOUNTS[account];
  return { account, detail, number, name, type, ...debitAndCreditOf(balance, currency) };
}

function byDetail(a: AccountKey, b: AccountKey): number {
  return (a.detail ?? '') < (b.detail ?? '') ? -1 : 1;
}
