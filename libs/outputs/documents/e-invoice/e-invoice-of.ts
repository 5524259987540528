import { Conflict, dayIn, Decimal, moneyString, sumOf } from '#libs/kernel/core';
import { amountPaid, type CreditNote, type Invoice } from '#libs/contexts/invoicing';
import { chargedQuantity, timezoneOfDates, type AppliedTax, type InvoiceLine } from '#libs/rating';
import { knownAddress } from '../invoice/address.js';
import { creditDestinationText } from '../invoice/credit-note-view.js';
import { descriptionOf } from '../invoice/line-view.js';
import { showsRatesPerLine } from '../invoice/document-locale.js';
import { wordingOf } from '../languages/index.js';
import { firstAndLastDay } from './days.js';
import { eInvoiceAmounts, type RateDiscount, type PrintedLine } from './e-amounts.js';
import type { EInvoice, EParty, EPayment } from './e-invoice.js';
import { requireEInvoice } from './requirements.js';

/**
 * Converts an invoice to the terms of EN 16931. Payments and the part that the customer's balance paid count as prepaid. If an invoice
 * gives back more than it charges, the excess counts as a negative prepaid amount, wherever the excess goes. Throws Conflict as {@link
 * requireEInvoice} does.
 */
export function eInvoiceOf(invoice: Invoice): EInvoice {
  requireEInvoice(invoice);
  const { currency, timezone, settings, excess = '0', balanceApplied } = invoice;
  const words = wordingOf(settings.language);
  const lines = invoice.lines.map((line) => ({
    name: descriptionOf(line, words.line),
    note: planOf(line, invoice),
    quantity: chargedQuantity(line),
    ...(line.unitPrice === undefined ? {} : { unitPrice: line.unitPrice }),
    amount: line.amount,
    period: firstAndLastDay(timezone, line.periodStart, line.periodEnd),
    tax: taxOf(invoice, line),
  }));
  return {
    ...common(invoice),
    typeCode: '380',
    number: invoice.number!,
    issueDate: dayIn(timezoneOfDates(invoice), invoice.issuedAt!),
    dueDate: dayIn(timezoneOfDates(invoice), invoice.dueDate),
    paymentTerms: null,
    note: invoice.memo ?? null,
    period: firstAndLastDay(timezone, invoice.periodStart, invoice.periodEnd),
    precedingInvoice: null,
    payment: paymentOf(invoice),
    ...eInvoiceAmounts({
      ...{ invoice, lines, discounts: discountsOf(invoice) },
      prepaid: sumOf([balanceApplied, amountPaid(invoice)]).minus(excess),
      currency,
    }),
  };
}

/**
 * Converts a credit note on an invoice to the terms of EN 16931. The amounts of the result are positive. Amounts that the credit note
 * refunds or adds to the balance count as prepaid, even if the refund is pending or was refused. The amount due of the credit note is thus
 * the part that reduces the unpaid invoice. Throws Conflict as {@link requireEInvoice} does. Throws Conflict `not_issued` also if the
 * credit note is void, and `not_numbered` if the credit note was just issued and has no number yet.
 */
export function eCreditNoteOf(invoice: Invoice, note: CreditNote): EInvoice {
  requireEInvoice(invoice);
  if (note.voidedAt !== undefined)
    throw new Conflict('not_issued', 'The credit note is void; only an issued document can be an e-invoice');
  if (note.number === null)
    throw new Conflict('not_numbered', 'The credit note has no number yet; try again in a moment');
  const { currency, timezone, settings } = invoice;
  const { credit, line: words } = wordingOf(settings.language);
  const period = firstAndLastDay(timezone, invoice.periodStart, invoice.periodEnd);
  const whole = { name: credit.onInvoice(invoice.number!), note: null, quantity: '1', period };
  const lines = note.lines.flatMap(({ id, amount }): PrintedLine[] => {
    const line = invoice.lines.find((one) => one.id === id);
    if (!line) return [];
    const days = firstAndLastDay(timezone, line.periodStart, line.periodEnd);
    const said = { name: descriptionOf(line, words), note: planOf(line, invoice) };
    return [{ ...said, quantity: '1', amount, period: days, tax: taxOfCredited(invoice, note, id) }];
  });
  const discounts = discountsOn(invoice, note).map((one) => ({ ...one, name: credit.discount }));
  return {
    ...common(invoice),
    typeCode: '381',
    number: note.number,
    issueDate: dayIn(timezoneOfDates(invoice), note.issuedAt),
    dueDate: null,
    paymentTerms: creditDestinationText(invoice, note),
    note: note.memo,
    period,
    precedingInvoice: {
      number: invoice.number!,
      issueDate: dayIn(timezoneOfDates(invoice), invoice.issuedAt!),
    },
    payment: null,
    ...eInvoiceAmounts({
      invoice,
      lines: lines.length > 0 ? lines : creditedAmounts(invoice, note).map((one) => ({ ...whole, ...one })),
      discounts,
      prepaid: sumOf([note.toBalance, note.refunded]),
      currency,
    }),
  };
}

/** The only tax rate of a line; undefined if the line has no tax. */
function taxOf(
  { taxes = [] }: { readonly taxes?: readonly AppliedTax[] },
  line: Pick<InvoiceLine, 'taxRateIds'>,
): AppliedTax | undefined {
  return taxes.find(({ taxRateId }) => line.taxRateIds?.includes(taxRateId) ?? true);
}

/**
 * The discounts of an invoice: one for each coupon if all lines have the same tax rate, otherwise one for each tax rate. In EN 16931, a
 * discount has exactly one VAT category. A line stores only the sum of its discounts, so the discount of a single coupon for one tax rate
 * is not known.
 */
function discountsOf(invoice: Invoice): RateDiscount[] {
  const { lines, discounts = [], currency } = invoice;
  if (!showsRatesPerLine(lines)) {
    const tax = invoice.taxes?.[0];
    return discounts.map(({ name, amount }) => ({ name, amount, tax }));
  }
  const name = discounts.map((discount) => discount.name).join(', ');
  return [...Map.groupBy(lines, (line) => taxOf(invoice, line))].map(([tax, ofRate]) => {
    const amount = moneyString(sumOf(ofRate.map(({ discount = '0' }) => discount)), currency);
    return { name, amount, tax };
  });
}

/**
 * Returns the coupon discounts of the credited lines, summed for each tax rate. The customer never paid the part that the coupons took off,
 * so a credit note does not give it back.
 */
function discountsOn(invoice: Invoice, note: CreditNote) {
  const { lines, discount, taxes, allocations = [] } = note;
  if (!showsRatesPerLine(invoice.lines)) return [{ amount: discount, tax: taxes[0] }];
  const ofLines = lines.map(({ id, amount }) => {
    const net = sumOf(allocations.filter(({ lineId }) => lineId === id).map((part) => part.amount));
    return { amount: new Decimal(amount).minus(net), tax: taxOfCredited(invoice, note, id) };
  });
  return byRate(ofLines, invoice.currency);
}

/** The credited amount of each tax rate, if the credit note states only an amount and no lines. */
function creditedAmounts(invoice: Invoice, note: CreditNote) {
  const { total, taxes, allocations = [] } = note;
  // An amount is credited with its tax, even if that tax was added to the lines.
  if (!showsRatesPerLine(invoice.lines))
    return [{ amount: total, tax: taxes[0] && { ...taxes[0], inclusive: true } }];
  const ofLines = allocations.map(({ lineId, amount }) => ({
    amount: new Decimal(amount),
    tax: taxOfCredited(invoice, note, lineId),
  }));
  return byRate(ofLines, invoice.currency);
}

/** The only tax rate of a credited line, with the tax that the note credits for this rate; undefined if the line has no tax. */
function taxOfCredited(invoice: Invoice, { taxes }: CreditNote, lineId: string): AppliedTax | undefined {
  const tax = taxOf(
    invoice,
    invoice.lines.find(({ id }) => id === lineId)!,
  );
  if (!tax) return undefined;
  const nothing = moneyString(new Decimal(0), invoice.currency);
  const taken = taxes.find(({ taxRateId }) => taxRateId === tax.taxRateId);
  return taken ?? { ...tax, taxable: nothing, amount: nothing };
}

function byRate(
  amounts: readonly { readonly amount: Decimal; readonly tax: AppliedTax | undefined }[],
  currency: string,
) {
  return [...Map.groupBy(amounts, ({ tax }) => tax?.taxRateId).values()].map((ofRate) => ({
    amount: moneyString(sumOf(ofRate.map(({ amount }) => amount)), currency),
    tax: ofRate[0]!.tax,
  }));
}

/**
 * The name of the plan to which a line belongs; null if the invoice has only one subscription. The printed invoice shows the plan above the
 * line, since two plans can charge for the same thing.
 */
function planOf(
  { subscriptionId }: Pick<InvoiceLine, 'subscriptionId'>,
  { parts = [] }: Invoice,
): string | null {
  return parts.find((part) => part.subscriptionId === subscriptionId)?.planName ?? null;
}

function common(invoice: Invoice): Pick<EInvoice, 'orderNumber' | 'currency' | 'seller' | 'buyer'> {
  const { settings, billToAddress, billToTaxId = null } = invoice;
  const seller = settings.seller!;
  // BR-O-02: a party that is not subject to VAT states no VAT ids.
  const isSubject = invoice.taxExemptionType !== 'not_subject';
  const buyer: EParty = {
    name: invoice.billToName,
    address: knownAddress(billToAddress)!,
    vatId: isSubject ? billToTaxId : null,
    registrationNumber: null,
    email: invoice.billToEmail,
    phone: null,
  };
  return {
    orderNumber: invoice.poNumber ?? null,
    currency: invoice.currency,
    seller: {
      name: seller.legalName ?? invoice.sellerName!,
      address: seller.address!,
      vatId: isSubject ? seller.taxId : null,
      registrationNumber: seller.registrationNumber,
      email: seller.email,
      phone: seller.phone,
    },
    buyer,
  };
}

/** The means of payment: a bank transfer if the seller has a bank account (SEPA for euros), otherwise the hosted page of the invoice. */
function paymentOf({ currency, settings, sellerName }: Invoice): EPayment {
  const seller = settings.seller!;
  if (seller.bankAccount === null) return { code: '68' };
  const name = seller.legalName ?? sellerName!;
  return { code: currency === 'EUR' ? '58' : '30', ...seller.bankAccount, name };
}
