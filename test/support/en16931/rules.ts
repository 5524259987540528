import { Decimal, minorUnitDigits, roundToCurrency, sumOf } from '#libs/kernel/core';
import type { Terms } from './terms.js';

/*
 * The business rules of EN 16931-1 that an invoice of ours can break, by the names that the norm gives them. Its amounts are held to
 * the smallest unit of the currency.
 */

/** Categories without tax that must say why, and the one with a rate of nothing that must not. */
const UNTAXED = new Set(['Z', 'E', 'AE', 'G', 'O']);

/** What says of these that the reason is the one of the category. */
const REASON_CODES: Readonly<Record<string, string>> = {
  AE: 'VATEX-EU-AE',
  G: 'VATEX-EU-G',
  O: 'VATEX-EU-O',
};

/** The rules that a document breaks, by name; none if it keeps all. `slack`: by how much a VAT amount may be off its rate's share. */
export function violations(terms: Terms, { slack = '0' }: { slack?: string } = {}): string[] {
  return [...presence(terms), ...sums(terms), ...vat(terms, slack), ...lines(terms), ...decimals(terms)];
}

function presence(terms: Terms): string[] {
  const { seller, buyer } = terms;
  const rules: Record<string, boolean> = {
    'BR-01': /^urn:cen\.eu:en16931:2017(#compliant#.+)?$/.test(terms.specification ?? ''),
    'BR-02': terms.number !== null,
    'BR-03': /^\d{4}-\d\d-\d\d$/.test(terms.issueDate ?? ''),
    'BR-04': terms.typeCode === '380' || terms.typeCode === '381',
    'BR-05': terms.currency !== null,
    'BR-06': seller.name !== null,
    'BR-07': buyer.name !== null,
    'BR-08': seller.hasAddress,
    'BR-09': seller.country !== null,
    'BR-10': buyer.hasAddress,
    'BR-11': buyer.country !== null,
    'BR-16': terms.lines.length > 0,
    'BR-50': (terms.paymentCode !== '30' && terms.paymentCode !== '58') || terms.iban !== null,
    'BR-55': terms.typeCode !== '381' || terms.preceding !== null,
    'BR-CO-09': [seller.vatId, buyer.vatId].every((vatId) => vatId === null || /^[A-Z]{2}./.test(vatId)),
    'BR-CO-18': terms.breakdown.length > 0,
    'BR-CO-25': new Decimal(terms.totals.due).lte(0) || terms.dueDate !== null || terms.paymentTerms !== null,
    'BR-CO-26': [seller.vatId, seller.registrationNumber, seller.identifier].some((one) => one !== null),
  };
  return broken(rules);
}

function sums({ lines, allowances, breakdown, totals }: Terms): string[] {
  const amount = (text: string | null) => new Decimal(text ?? 0);
  const sum = (of: readonly { amount: string }[]) => sumOf(of.map((one) => one.amount));
  return broken({
    'BR-CO-10': amount(totals.lines).eq(sum(lines)),
    'BR-CO-11': amount(totals.allowances).eq(sum(allowances)),
    'BR-CO-13': amount(totals.withoutVat).eq(amount(totals.lines).minus(amount(totals.allowances))),
    'BR-CO-14': amount(totals.vat).eq(sum(breakdown)),
    'BR-CO-15': amount(totals.withVat).eq(amount(totals.withoutVat).plus(amount(totals.vat))),
    'BR-CO-16': amount(totals.due).eq(
      amount(totals.withVat).minus(amount(totals.prepaid)).plus(amount(totals.rounding)),
    ),
  });
}

/** What says its category and rate. */
interface Rated {
  readonly category: string | null;
  readonly percent: string | null;
}

function isSame(a: Rated, b: Rated): boolean {
  // Category O has one entry in the breakdown, with or without a rate.
  return a.category === b.category && (a.category === 'O' || (a.percent ?? '') === (b.percent ?? ''));
}

function vat({ lines, allowances, breakdown, seller, buyer, currency }: Terms, slack: string): string[] {
  return breakdown.flatMap(({ category, percent, taxable, amount, reason, reasonCode }) => {
    const isOf = (one: Rated) => isSame(one, { category, percent });
    const sum = (of: readonly { amount: string; category: string | null; percent: string | null }[]) =>
      sumOf(of.filter(isOf).map((one) => one.amount));
    const share = roundToCurrency(new Decimal(taxable).times(percent ?? 0).dividedBy(100), currency!);
    const untaxed = UNTAXED.has(category ?? '');
    const named = (rule: string) => `BR-${category === 'AE' ? 'AE' : category}-${rule}`;
    return broken({
      // Every line and allowance belongs to a category of the breakdown.
      [named('01')]: [...lines, ...allowances].every((one) => breakdown.some((of) => isSame(of, one))),
      [named('02')]:
        category === 'O'
          ? seller.vatId === null && buyer.vatId === null
          : (seller.vatId !== null || (category !== 'G' && seller.taxNumber !== null)) &&
            (category !== 'AE' || buyer.vatId !== null),
      [named('05')]:
        category === 'O'
          ? new Decimal(percent ?? 0).isZero()
          : percent !== null && new Decimal(percent).isZero() === untaxed,
      // A category and a rate have one breakdown, with all of their lines.
      [named('08')]:
        breakdown.filter(isOf).length === 1 && new Decimal(taxable).eq(sum(lines).minus(sum(allowances))),
      [named('09')]: untaxed ? new Decimal(amount).isZero() : isTolerated(taxable, percent, amount),
      // A reason in words of one's own does not say that it is this one.
      [named('10')]:
        (reason !== null) === (untaxed && category !== 'Z') &&
        reasonCode === (REASON_CODES[category ?? ''] ?? null),
      // What is not subject to VAT stands on no document with what is.
      ...(category === 'O' ? { 'BR-O-11': breakdown.length === 1 } : {}),
      'BR-CO-17': share.minus(amount).abs().lte(slack),
    });
  });
}

/** What the official Schematron lets a VAT amount be off by: less than one whole unit of money, also where there is no smaller one. */
function isTolerated(taxable: string, percent: string | null, amount: string): boolean {
  const share = new Decimal(taxable).times(percent ?? 0).dividedBy(100);
  return share.toDecimalPlaces(2).minus(amount).abs().lt(1);
}

function lines({ lines, currency }: Terms): string[] {
  return lines.flatMap(({ id, name, quantity, unit, price, baseQuantity, amount, category, start, end }) => {
    const base = new Decimal(baseQuantity ?? 1);
    const product = new Decimal(quantity ?? 0).times(price ?? 0).dividedBy(base);
    return broken({
      'BR-21': id !== null,
      'BR-22': quantity !== null,
      'BR-23': unit !== null,
      'BR-25': (name ?? '') !== '',
      'BR-26': price !== null,
      'BR-27': !new Decimal(price ?? 0).isNegative() || new Decimal(price ?? 0).isZero(),
      'BR-30': start === null || end === null || start <= end,
      'BR-CO-04': category !== null,
      // The norm's own rule has no number; Peppol's has, with some slack that we do not need.
      'PEPPOL-EN16931-R120': base.gt(0) && roundToCurrency(product, currency!).eq(amount),
    });
  });
}

/** BR-DEC-…: amounts have the digits of the currency, and two at most. */
function decimals({ totals, lines, allowances, breakdown, currency }: Terms): string[] {
  const most = Math.min(2, minorUnitDigits(currency!));
  const amounts = [
    ...Object.values(totals),
    ...[...lines, ...allowances, ...breakdown].map(({ amount }) => amount),
    ...breakdown.map(({ taxable }) => taxable),
  ];
  return broken({
    'BR-DEC': amounts.every((text) => text === null || new Decimal(text).decimalPlaces() <= most),
  });
}

function broken(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
}
