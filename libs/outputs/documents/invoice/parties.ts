import { isQrIban, type Invoice } from '#libs/contexts/invoicing';
import { wordingOf } from '../languages/index.js';
import type { SwissBillView } from '../swiss-bill/swiss-bill-view.js';
import { addressLines, knownAddress } from './address.js';

/** The seller and the customer of an invoice or a credit note, as they are printed. */
export interface PartiesView {
  sellerName: string | null;
  /** The seller's address in one line below the name; null if there is no address. */
  sellerAddress: string | null;
  /** Other data of the seller that laws or customers require, for the foot of the document; null if there is none. */
  sellerDetails: string | null;
  billToName: string;
  /** The customer's address and VAT id, line by line. */
  billToDetails: string[];
  billToEmail: string | null;
}

/**
 * The seller and the customer of an invoice, with the data that they had when the invoice was made. `workspaceName` is used if the seller
 * has set no other name.
 */
export function partiesView(invoice: Invoice, workspaceName: string | null): PartiesView {
  const { billToName, billToEmail, billToAddress, billToTaxId, settings } = invoice;
  const { seller, language } = settings;
  const { labels } = wordingOf(language);
  const labelled = (label: string, value: string | null | undefined) => (value ? [`${label} ${value}`] : []);
  const address = knownAddress(billToAddress);
  const details = [
    ...labelled(labels.vatId, seller?.taxId),
    ...labelled(labels.taxNumber, seller?.taxNumber),
    ...labelled(labels.registrationNumber, seller?.registrationNumber),
    ...(seller?.email ? [seller.email] : []),
    ...labelled(labels.phone, seller?.phone),
  ];
  return {
    sellerName: seller?.legalName ?? workspaceName,
    sellerAddress: seller?.address ? addressLines(seller.address, language).join(' · ') : null,
    sellerDetails: details.length > 0 ? details.join(' · ') : null,
    billToName,
    billToDetails: [
      ...(address ? addressLines(address, language, seller?.address?.country) : []),
      ...labelled(labels.vatId, billToTaxId),
    ],
    billToEmail,
  };
}

/**
 * The seller's bank account in groups of four characters, between which a line can break, and the reference of its QR-bill. Null if there is
 * no bank account, or if the account takes only QR-bills and the invoice has none.
 */
export function bankAccountOf({ settings: { seller } }: Invoice, bill: SwissBillView | null): string | null {
  if (!seller?.bankAccount || (isQrIban(seller.bankAccount) && bill === null)) return null;
  const { iban, bic } = seller.bankAccount;
  return [
    iban.replace(/(.{4})(?=.)/g, '$1 '),
    ...(bic === null ? [] : [`BIC\u00a0${bic}`]),
    ...(bill?.reference ? [`${bill.headings.reference} ${bill.reference}`] : []),
  ].join(', ');
}
