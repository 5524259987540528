import {
  Conflict,
  dayIn,
  Decimal,
  moneyString,
  sumOf,
  translatedName,
  type EInvoiceProfile,
  type ElectronicAddress,
} from '#libs/kernel/core';
import { amountPaid, isQrIban, type CreditNote, type Invoice } from '#libs/contexts/invoicing';
import { chargedQuantity, timezoneOfDates, type AppliedTax, type InvoiceLine } from '#libs/rating';
import { knownAddress } from '../invoice/address.js';
import { creditDestinationText } from '../invoice/credit-note-view.js';
import { descriptionOf } from '../invoice/line-view.js';
import { printedLines, servicePeriod } from '../invoice/printed-lines.js';
import { showsRatesPerLine } from '../invoice/document-locale.js';
import { wordingOf } from '../languages/index.js';
import { takesQrBill, transferTextOf } from '../swiss-bill/reference.js';
import { firstAndLastDay } from './days.js';
import { eInvoiceAmounts, type RateDiscount, type PrintedLine } from './e-amounts.js';
import type { EInvoice, EParty, EPayment, EPeriod } from './e-invoice.js';
import { requireEInvoice } from './requirements.js';

/**
 * Converts an invoice to the terms of EN 16931. Payments and the part that the customer's balance paid count as prepaid. If an invoice
 * gives back more than it charges, the excess counts as a negative prepaid amount, wherever the excess goes. So does the amount that it
 * collects of earlier invoices. Throws Conflict as {@link
 * requireEInvoice} does.
 *
 * @param profile the specification; by default that of the customer when the invoice was made
 */
export function eInvoiceOf(invoice: Invoice, profile: EInvoiceProfile = profileOf(invoice)): EInvoice {
  requireEInvoice(invoice, profile);
  const { currency, timezone, settings, excess = '0', balanceApplied } = invoice;
  const lines = printedLines(invoice).map((line) => ({
    name: descriptionOf(line, settings.language),
    note: planOf(line, invoice),
    quantity: chargedQuantity(line),
    ...(line.unitPrice === undefined ? {} : { unitPrice: line.unitPrice }),
    amount: line.amount,
    period: firstAndLastDay(timezone, line.periodStart, line.periodEnd),
    tax: taxOf(invoice, line),
  }));
  return {
    ...common(invoice, profile),
    typeCode: '380',
    number: invoice.number!,
    issueDate: dayIn(timezoneOfDates(invoice), invoice.issuedAt!),
    dueDate: dayIn(timezoneOfDates(invoice), invoice.dueDate),
    paymentTerms: null,
    note: invoice.memo ?? null,
    period: periodAround(lines),
    precedingInvoice: null,
    payment: paymentOf(invoice),
    ...eInvoiceAmounts({
      invoice,
      lines,
      discounts: discountsOf(invoice),
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
export function eCreditNoteOf(
  invoice: Invoice,
  note: CreditNote,
  profile: EInvoiceProfile = profileOf(invoice),
): EInvoice {
  requireEInvoice(invoice, profile);
  if (note.voidedAt !== undefined)
    throw new Conflict('not_issued', 'The credit note is void; only an issued document can be an e-invoice');
  if (note.number === null)
    throw new Conflict('not_numbered', 'The credit note has no number yet; try again in a moment');
  const { currency, timezone, settings } = invoice;
  const { credit } = wordingOf(settings.language);
  const service = servicePeriod(invoice);
  const period = firstAndLastDay(timezone, service.start, service.end);
  const whole = { name: credit.onInvoice(invoice.number!), note: null, quantity: '1', period };
  const lines = note.lines.flatMap(({ id, amount }): PrintedLine[] => {
    const line = invoice.lines.find((one) => one.id === id);
    if (!line) return [];
    const days = firstAndLastDay(timezone, line.periodStart, line.periodEnd);
    const said = { name: descriptionOf(line, settings.language), note: planOf(line, invoice) };
    return [{ ...said, quantity: '1', amount, period: days, tax: taxOfCredited(invoice, note, id) }];
  });
  const discounts = discountsOn(invoice, note).map((one) => ({ ...one, name: credit.discount }));
  return {
    ...common(invoice, profile),
    typeCode: '381',
    number: note.number,
    issueDate: dayIn(timezoneOfDates(invoice), note.issuedAt),
    dueDate: null,
    paymentTerms: creditDestinationText(invoice, note),
    note: note.memo,
    period: lines.length > 0 ? periodAround(lines) : period,
    precedingInvoice: {
      number: invoice.number!,
      issueDate: dayIn(timezoneOfDates(invoice), invoice.issuedAt!),
    },
    // BR-DE-1: a credit note states means of payment too.
    payment: { code: '1' },
    ...eInvoiceAmounts({
      invoice,
      lines: lines.length > 0 ? lines : creditedAmounts(invoice, note).map((one) => ({ ...whole, ...one })),
      discounts,
      prepaid: sumOf([note.toBalance, note.refunded]),
      currency,
    }),
  };
}

/** The specification that the customer's e-invoices kept to when the invoice was made. */
function profileOf({ eInvoiceProfile = 'en16931' }: Invoice): EInvoiceProfile {
  return eInvoiceProfile;
}

/** The time from the first to the last day of all lines. The period of a line must be in that of the document (PEPPOL-EN16931-R110, -R111). */
function periodAround(lines: readonly { readonly period: EPeriod }[]): EPeriod {
  const starts = lines.map(({ period }) => period.start).toSorted();
  const ends = lines.map(({ period }) => period.end).toSorted();
  return { start: starts[0]!, end: ends.at(-1)! };
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
  const { lines, currency, settings } = invoice;
  const discounts = (invoice.discounts ?? []).map(({ name, nameTranslations, amount }) => ({
    name: translatedName(name, nameTranslations, settings.language),
    amount,
  }));
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
  { parts = [], settings }: Invoice,
): string | null {
  const part = parts.find((one) => one.subscriptionId === subscriptionId);
  return part ? translatedName(part.planName, part.planNameTranslations, settings.language) : null;
}

function common(
  invoice: Invoice,
  profile: EInvoiceProfile,
): Pick<EInvoice, 'profile' | 'buyerReference' | 'orderNumber' | 'currency' | 'seller' | 'buyer'> {
  const { settings, billToAddress, billToTaxId = null } = invoice;
  const seller = settings.seller!;
  // BR-O-02: a party that is not subject to VAT states no VAT ids.
  const isSubject = invoice.taxExemptionType !== 'not_subject';
  const buyer: EParty = {
    name: invoice.billToName,
    identifier: null,
    address: knownAddress(billToAddress)!,
    vatId: isSubject ? billToTaxId : null,
    taxNumber: null,
    registrationNumber: null,
    contactName: null,
    email: invoice.billToEmail,
    phone: null,
    electronicAddress: electronicAddressOf(invoice.billToElectronicAddress, invoice.billToEmail),
  };
  const vatId = isSubject ? seller.taxId : null;
  const taxNumber = isSubject ? (seller.taxNumber ?? null) : null;
  return {
    profile,
    buyerReference: invoice.buyerReference ?? null,
    orderNumber: invoice.poNumber ?? null,
    currency: invoice.currency,
    seller: {
      name: seller.legalName ?? invoice.sellerName!,
      // BR-CO-26: without a VAT id and a registration, the tax number identifies the seller.
      identifier: vatId === null && seller.registrationNumber === null ? taxNumber : null,
      address: seller.address!,
      vatId,
      taxNumber,
      registrationNumber: seller.registrationNumber,
      contactName: seller.contactName ?? null,
      email: seller.email,
      phone: seller.phone,
      electronicAddress: electronicAddressOf(seller.electronicAddress, seller.email),
    },
    buyer,
  };
}

/**
 * The means of payment: a bank transfer if the seller has a bank account (SEPA for euros), otherwise the hosted page of the invoice. A
 * QR-IBAN takes only the transfers of a QR-bill, and no SEPA transfers.
 */
function paymentOf({ currency, settings, sellerName, number }: Invoice): EPayment {
  const { bankAccount, legalName } = settings.seller!;
  if (bankAccount === null) return { code: '68' };
  const isQr = isQrIban(bankAccount);
  if (isQr && !takesQrBill(bankAccount, currency)) return { code: '68' };
  return {
    code: currency === 'EUR' && !isQr ? '58' : '30',
    iban: bankAccount.iban,
    bic: bankAccount.bic,
    name: legalName ?? sellerName!,
    reference: transferTextOf(number!, bankAccount, currency),
  };
}

/** The address of a party in a network for e-invoices. Otherwise it is the e-mail address, whose scheme is EM. */
function electronicAddressOf(
  address: ElectronicAddress | null | undefined,
  email: string | null,
): ElectronicAddress | null {
  // It is a text once it was erased.
  if (typeof address === 'object' && address !== null) return address;
  return email === null ? null : { scheme: 'EM', id: email };
}
