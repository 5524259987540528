import { Conflict, minorUnitDigits, type EInvoiceProfile, type FieldError } from '#libs/kernel/core';
import { taxRatesOfLine, type Invoice } from '#libs/contexts/invoicing';
import { knownAddress } from '../invoice/address.js';
import { missingForProfile } from './profile-requirements.js';

const SELLER = 'set it with PUT /v1/billing-settings';
const BUYER = 'set it with PATCH /v1/customers/:id';

/**
 * Throws an error if an invoice, or a credit note on the invoice, cannot be an e-invoice of a profile. Throws Conflict `not_issued` for a
 * draft and a void invoice. Throws Conflict `e_invoice_incomplete` if the invoice lacks data that EN 16931 or the profile requires. The same
 * error is thrown for what an e-invoice cannot have: several tax rates on a line, a tax rate for a customer who is not subject to VAT, or a
 * currency with more than two decimal places. The error `e_invoice_incomplete` names all missing data and where to set
 * it. Setting missing data helps only later invoices, since an invoice keeps the data of the time when it was made.
 */
export function requireEInvoice(invoice: Invoice, profile: EInvoiceProfile): void {
  if (invoice.status === 'draft' || invoice.status === 'void')
    throw new Conflict(
      'not_issued',
      `The invoice is ${invoice.status}; only an issued document can be an e-invoice`,
    );
  const missing = [...missingFields(invoice), ...missingForProfile(invoice, profile)];
  if (missing.length === 0) return;
  throw new Conflict(
    'e_invoice_incomplete',
    'The invoice was made without data that an e-invoice needs: ' +
      missing.map(({ field, message }) => `${field} (${message})`).join('; ') +
      '. Invoices that are made after that have it',
    missing,
  );
}

/** Tells whether an invoice has the state and the data of an e-invoice. The caller must also check the currency (`isEInvoiceCurrency`). */
export function canBeEInvoice(invoice: Invoice): boolean {
  return invoice.status !== 'draft' && invoice.status !== 'void' && missingFields(invoice).length === 0;
}

/**
 * Returns the data that EN 16931 requires and the invoice does not have, and the data of the invoice that an e-invoice cannot have. The
 * comment on each check names the rule of EN 16931.
 */
function missingFields(invoice: Invoice): FieldError[] {
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
    // BR-G-02: an export needs the VAT id. BR-S-02, BR-Z-02, BR-E-02, BR-AE-02: a tax number takes its place.
    ...missing(
      isSubject && !seller?.taxId && (exemption === 'export' || !seller?.taxNumber),
      'seller.taxId',
      exemption === 'export' ? SELLER : `${SELLER}, or seller.taxNumber if there is none`,
    ),
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
      'an e-invoice that is not_subject to VAT cannot have a tax rate, and this invoice gives tax back',
    ),
    // BR-DEC-09 and the others
    ...missing(
      minorUnitDigits(currency) > 2,
      'customer.currency',
      `an e-invoice has at most two digits after the point, and ${currency} has more`,
    ),
    // BR-16
    ...missing(
      invoice.lines.length === 0,
      'lines',
      'an e-invoice has at least one line, and this one has none',
    ),
  ];
}

/** Checks that every line has exactly one VAT category: one rate, or the reason why the customer is exempt. */
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
          message: `must have one tax rate (0% if zero-rated) or a taxExemptReason; ${remedy}`,
        },
      ];
    // BG-30 can occur once on a line
    if (rates.length > 1)
      return [
        { field, message: 'a line of an e-invoice can have one tax rate only, and there are several on it' },
      ];
    return [];
  });
}
