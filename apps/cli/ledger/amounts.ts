import { Decimal, decimalString, moneyString, type DecimalString } from '#libs/kernel/core';

/** Formats an exact amount with the currency's number of decimals, such as `1,234.50`. */
export function amountText(amount: DecimalString | Decimal, currency: string): string {
  const [whole, fraction] = moneyString(new Decimal(amount), currency).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Formats a count with thousands separators, such as `1,203`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** Formats a number with all its digits, such as `1,234.5`. */
export function exactNumberText(value: DecimalString): string {
  const [whole, fraction] = decimalString(new Decimal(value)).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
