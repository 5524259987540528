import type { EInvoiceProfile, ElectronicAddress, FieldError } from '#libs/kernel/core';
import type { Invoice } from '#libs/contexts/invoicing';
import { knownAddress } from '../invoice/address.js';

const SELLER = 'set it with PUT /v1/billing-settings';
const BUYER = 'set it with PATCH /v1/customers/:id';

/** The rules that XRechnung and Peppol BIS Billing have for an invoice, by the parts that they are about. */
interface Rules {
  /** An invoice has the buyer's reference, such as a Leitweg-ID (BR-DE-15). */
  readonly needsBuyerReference: boolean;
  /** An invoice has the buyer's reference, or the number of a purchase order (PEPPOL-EN16931-R003). */
  readonly needsReferenceOrOrder: boolean;
  /** The rules of Germany about contact and addresses (BR-DE-2 to -9, DE-R-002 to -009). */
  readonly isGerman: boolean;
}

/**
 * Returns the data that a profile requires beyond EN 16931 and that the invoice does not have. The comment on each check names the rule: BR-DE
 * of XRechnung 3.0, PEPPOL-EN16931 and DE-R of Peppol BIS Billing 3.0.
 */
export function missingForProfile(invoice: Invoice, profile: EInvoiceProfile): FieldError[] {
  if (profile === 'en16931') return [];
  const { settings, billToElectronicAddress, billToEmail, buyerReference, poNumber } = invoice;
  const { seller } = settings;
  const buyerAddress = knownAddress(invoice.billToAddress);
  const { needsBuyerReference, needsReferenceOrOrder, isGerman } = rulesOf(invoice, profile);
  const missing = (isMissing: boolean, field: string, message: string) =>
    isMissing ? [{ field, message: `${message}, because ${NAMES[profile]} needs it` }] : [];
  return [
    ...missing(
      needsBuyerReference && buyerReference === undefined,
      'customer.buyerReference',
      `${BUYER}, such as the Leitweg-ID of a public buyer`,
    ),
    ...missing(
      needsReferenceOrOrder && buyerReference === undefined && poNumber === undefined,
      'customer.buyerReference',
      `${BUYER}, or poNumber`,
    ),
    // PEPPOL-EN16931-CL008: an e-mail address is no address in Peppol.
    ...missing(
      profile === 'peppol' && !isPeppolScheme(seller?.electronicAddress?.scheme),
      'seller.electronicAddress',
      `${SELLER}, with a Peppol scheme such as 9930`,
    ),
    ...missing(
      profile === 'peppol' && !isPeppolScheme(knownElectronicAddress(billToElectronicAddress)?.scheme),
      'customer.electronicAddress',
      `${BUYER}, with a Peppol scheme such as 9930`,
    ),
    // PEPPOL-EN16931-R020, PEPPOL-EN16931-R010: XRechnung has these two rules too.
    ...missing(
      profile === 'xrechnung' && !seller?.electronicAddress && !seller?.email,
      'seller.electronicAddress',
      `${SELLER}, or seller.email`,
    ),
    ...missing(
      profile === 'xrechnung' && !billToElectronicAddress && !billToEmail,
      'customer.electronicAddress',
      `${BUYER}, or an e-mail address`,
    ),
    // BR-DE-2, BR-DE-5, BR-DE-6, BR-DE-27, BR-DE-7; DE-R-002, DE-R-005 to -007
    ...missing(isGerman && !seller?.contactName, 'seller.contactName', SELLER),
    ...missing(isGerman && digitsIn(seller?.phone) < MIN_PHONE_DIGITS, 'seller.phone', SELLER),
    ...missing(isGerman && !seller?.email, 'seller.email', SELLER),
    // BR-DE-4, BR-DE-9; DE-R-004, DE-R-009. Every address of ours has a city (BR-DE-3, BR-DE-8).
    ...missing(isGerman && seller?.address?.postalCode === null, 'seller.address.postalCode', SELLER),
    ...missing(isGerman && buyerAddress?.postalCode === null, 'customer.address.postalCode', BUYER),
  ];
}

const NAMES = { xrechnung: 'XRechnung', peppol: 'Peppol BIS Billing' } as const;

/** BR-DE-27: a telephone number has at least three digits. */
const MIN_PHONE_DIGITS = 3;

function rulesOf(invoice: Invoice, profile: 'xrechnung' | 'peppol'): Rules {
  if (profile === 'xrechnung')
    return { needsBuyerReference: true, needsReferenceOrOrder: false, isGerman: true };
  // The rules DE-R hold if both parties are in Germany.
  const countries = [invoice.settings.seller?.address, knownAddress(invoice.billToAddress)].map(
    (address) => address?.country,
  );
  const isGerman = countries.every((country) => country === 'DE');
  return { needsBuyerReference: isGerman, needsReferenceOrOrder: !isGerman, isGerman };
}

/** Tells whether a scheme has a number. The schemes with letters, such as EM, are not in the code list of Peppol. */
function isPeppolScheme(scheme: string | undefined): boolean {
  return scheme !== undefined && /^\d{4}$/.test(scheme);
}

/** Returns the address, or undefined if it is not known or was erased. An erased address is a text. */
function knownElectronicAddress(address: ElectronicAddress | undefined): ElectronicAddress | undefined {
  return typeof address === 'object' ? address : undefined;
}

function digitsIn(text: string | null | undefined): number {
  return (text ?? '').replaceAll(/\D/g, '').length;
}
