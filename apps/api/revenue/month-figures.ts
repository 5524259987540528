import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { AccountBalance, AccountCode } from '#libs/contexts/ledger';
import { DEFERRED_ACCOUNTS, type EarnedAmount, type RevenueSource } from '#projections/ledger';

type CurrencyBalances = { readonly deferred: Decimal; readonly unbilled: Decimal };

/** The deferred and the unbilled revenue at one moment, by currency. */
export type RevenueBalances = ReadonlyMap<string, CurrencyBalances>;

/** The revenue figures of one month in one currency. `booked` is always `recognised` plus the change of `deferred`. */
export interface MonthRevenue {
  readonly month: string;
  readonly currency: string;
  /**
   * The invoiced amount without taxes, less give-backs, credit notes, voids, and refunds that were made at the payment processor itself.
   * Such a refund counts with its taxes.
   */
  readonly billed: DecimalString;
  /** `billed` plus the change of `unbilled`. */
  readonly booked: DecimalString;
  /** The revenue that was earned in the month. */
  readonly recognised: DecimalString;
  /** The parts of `recognised`, by the source of the revenue. */
  readonly sources: Readonly<Record<RevenueSource, DecimalString>>;
  /** The revenue that was invoiced but not yet earned at the end of the month. */
  readonly deferred: DecimalString;
  /** The revenue that was earned but not yet invoiced at the end of the month. */
  readonly unbilled: DecimalString;
}

/** Sums up the deferred and the unbilled revenue from the balances of accounts. */
export function revenueBalancesOf(balances: readonly AccountBalance[]): RevenueBalances {
  return new Map(
    [...Map.groupBy(balances, ({ currency }) => currency)].map(([currency, own]) => {
      const sum = (...codes: AccountCode[]) =>
        sumOf(own.filter(({ account }) => codes.includes(account)).map(({ balance }) => balance));
      return [
        currency,
        {
          deferred: sum(...DEFERRED_ACCOUNTS).negated(),
          unbilled: sum('unbilled_receivables'),
        },
      ];
    }),
  );
}

/**
 * Computes the revenue figures of a month from the ledger, for each currency with revenue. `before` has the balances at the end of the
 * previous month, and `after` has the balances at the end of the month.
 */
export function computeMonthRevenue(
  month: string,
  earned: readonly EarnedAmount[],
  before: RevenueBalances,
  after: RevenueBalances,
): MonthRevenue[] {
  const own = earned.filter((one) => one.month === month);
  const currencies = new Set([...own.map(({ currency }) => currency), ...before.keys(), ...after.keys()]);
  return [...currencies].sort().flatMap((currency) => {
    const amounts = own.filter((one) => one.currency === currency);
    const money = (amount: Decimal) => moneyString(amount, currency);
    const of = (source: RevenueSource) =>
      sumOf(amounts.filter((one) => one.source === source).map(({ amount }) => amount));
    const recognised = sumOf(amounts.map(({ amount }) => amount));
    const [start, end] = [before, after].map((balances) => balances.get(currency) ?? NOTHING) as [
      CurrencyBalances,
      CurrencyBalances,
    ];
    const booked = recognised.plus(end.deferred).minus(start.deferred);
    const billed = booked.minus(end.unbilled).plus(start.unbilled);
    const figures = [recognised, booked, billed, end.deferred, end.unbilled];
    if (amounts.length === 0 && figures.every((figure) => figure.isZero())) return [];
    return [
      {
        month,
        currency,
        billed: money(billed),
        booked: money(booked),
        recognised: money(recognised),
        sources: {
          billed: money(of('billed')),
          deferred: money(of('deferred')),
          unbilled: money(of('unbilled')),
          credits: money(of('credits')),
          breakage: money(of('breakage')),
          contra: money(of('contra')),
        },
        deferred: money(end.deferred),
        unbilled: money(end.unbilled),
      },
    ];
  });
}

const NOTHING: CurrencyBalances = { deferred: new Decimal(0), unbilled: new Decimal(0) };
