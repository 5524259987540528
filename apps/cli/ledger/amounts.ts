import { Decimal, moneyString, type DecimalString } from '#libs/kernel/core';

/** An amount for people, exact, with the currency's digits: `1,234.50`. */
export function amountText(amount: DecimalString | Decimal, currency: string): string {
  const [whole, fraction] = moneyString(new Decimal(amount), currency).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A count for people. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}
