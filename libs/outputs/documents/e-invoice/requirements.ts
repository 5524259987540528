import { Conflict, minorUnitDigits, type FieldError } from '#libs/kernel/core';
import { taxRatesOfLine, type Invoice } from '#libs/contexts/invoicing';
import { knownAddress } from '../invoice/address.js';

const SELLER = 'set it with PUT /v1/billing-settings';
const BUYER = 'set it with PATCH /v1/customers/:id';

/**
 * Refuses an invoice that cannot be an e-invoice (for itself or as a credit note on it): Conflict `not_issued` for a draft and a void
 * invoice. Conflict `e_invoice_incomplete` names all that EN 16931 requires and the invoice lacks, and where to set it. An invoice keeps
 * what was known when it was made, so that it is for invoices to come.
 */
export function requireEInvoice(invoice: Invoice): void {
  if (invoice.status === 'draft' || invoice.status === 'void')
    throw new Conflict(
      'not_issued',
      `The invoice is ${invoice.status}; there are e-invoices only of what is issued`,
    );
  const missing = missingOf(invoice);
  if (missing.length === 0) return;
  throw new Conflict(
    'e_invoice_incomplete',
    'The invoice was made without what an e-invoice needs: ' +
      missing.map(({ field, message }) => `${field} (${message})`).join('; ') +
      '. Invoices that are made from then on have it',
    missing,
  );
}

/** Whether an invoice can be an e-invoice. */
export function canBeEInvoice(invoice: Invoice): boolean {
  return invoice.status !== 'draft' && invoice.status !== 'void' && missingOf(invoice).length === 0;
}

/** What EN 16931 wants of every invoice and this one does not have; the rules of the norm stand beside each. */
function missingOf(invoice: Invoice): FieldError[] {
  const { settings, billToAddress, billToTaxId, currency, taxExemptionType: exemption, taxes = [] } = invoice;
  const { seller } = settings;
  const isSubject = exemption !== 'not_subject';
  const missing = (isMissing: boolean, field: string, message: string) =>
    isMissing ? [{ field, message }] : [];
  return [
    // BR-06
    ...missing((seller?.legalName ?? invoice.sellerName) === null, 'seller.legalName', SELLER),
    // BR-08, BR-09
    ...missing(!seller?.address, 'seller.address', SELLER),
    // BR-S-02, BR-Z-02, BR-E-02, BR-AE-02, BR-G-02
    ...missing(isSubject && !seller?.taxId, 'seller.taxId', SELLER),
    // BR-CO-26: without the VAT id, which BR-O-02 forbids there
    ...missing(!isSubject && !seller?.registrationNumber, 'seller.registrationNumber', SELLER),
    // BR-10, BR-11
    ...missing(knownAddress(billToAddress) === null, 'customer.address', BUYER),
    // BR-AE-02
    ...missing(exemption === 'reverse_charge' && !billToTaxId, 'customer.taxId', BUYER),
    ...ratesMissing(invoice),
    // BR-O-11
    ...missing(
      !isSubject && taxes.length > 0,
      'customer.taxExemptType',
      'an e-invoice that is not_subject to VAT can have no tax rate besides, and this invoice gives tax back',
    ),
    // BR-DEC-09 and the others
    ...missing(
      minorUnitDigits(currency) > 2,
      'customer.currency',
      `an e-invoice has at most two digits behind the point, and ${currency} has more`,
    ),
    // BR-16
    ...missing(
      invoice.lines.length === 0,
      'lines',
      'an e-invoice has at least one line, and this one has none',
    ),
  ];
}

/** Every line has exactly one VAT category: one rate, or the reason why the customer is exempt. */
function ratesMissing(invoice: Invoice): FieldError[] {
  const { lines, taxes = [], taxExemption } = invoice;
  const isUniform = lines.every(({ taxRateIds }) => taxRateIds === undefined);
  const named = isUniform
    ? [
        {
          field: 'customer.taxRateIds',
          remedy: `${BUYER}, or defaultTaxRateIds with PUT /v1/billing-settings`,
          rates: taxes,
        },
      ]
    : lines.map((line, i) => ({
        field: `lines[${i}].taxRateIds`,
        remedy:
          line.priceId === null ? 'name it on the line' : `set it with PATCH /v1/prices/${line.priceId}`,
        rates: taxRatesOfLine(invoice, line),
      }));
  return named.flatMap(({ field, remedy, rates }) => {
    // BR-CO-04
    if (rates.length === 0 && taxExemption === undefined)
      return [
        {
          field,
          message: `there must be one tax rate, of 0% for what is zero-rated, or a taxExemptReason; ${remedy}`,
        },
      ];
    // BG-30 can be once on a line
    if (rates.length > 1)
      return [
        { field, message: 'a line of an e-invoice can have one tax rate only, and there are several on it' },
      ];
    return [];
  });
}
