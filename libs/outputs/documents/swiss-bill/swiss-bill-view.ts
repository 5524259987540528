import type { QrBillLanguage } from '#libs/contexts/invoicing';
import { QUIET_ZONE, type TransferCode } from '../qr-code/svg.js';
import { SWISS_BILL_HEADINGS, type SwissBillHeadings } from './headings.js';
import type { SwissBill, SwissParty } from './payload.js';
import { printedReference } from './reference.js';
import { swissCodeOf } from './swiss-code.js';

/** The printed texts of a QR-bill. */
export interface SwissBillView {
  readonly headings: SwissBillHeadings;
  /** The code, with the size of its quiet zone and its own size, in modules. */
  readonly code: TransferCode & { readonly quietZone: number; readonly modules: number };
  /** The account in groups of four characters, and the seller below it. */
  readonly account: readonly string[];
  /** The reference in groups; null if the bill has none. */
  readonly reference: string | null;
  readonly message: string;
  /** The customer; null if the payer writes it. */
  readonly payableBy: readonly string[] | null;
  readonly currency: string;
  /** The amount with two decimals and a space between thousands. */
  readonly amount: string;
}

/** Makes the printed texts of a QR-bill. */
export function swissBillView(bill: SwissBill, language: QrBillLanguage): SwissBillView {
  const { iban, creditor, debtor, reference, message, currency, amount } = bill;
  const code = swissCodeOf(bill);
  return {
    headings: SWISS_BILL_HEADINGS[language],
    code: { ...code, quietZone: QUIET_ZONE, modules: code.side - 2 * QUIET_ZONE },
    account: [iban.replace(/(.{4})(?=.)/g, '$1 '), ...partyText(creditor)],
    reference: reference.type === 'NON' ? null : printedReference(reference),
    message,
    payableBy: debtor === null ? null : partyText(debtor),
    currency,
    amount: amount.replace(/\B(?=(\d{3})+\.)/g, ' '),
  };
}

function partyText({ name, street, building, postalCode, town, country }: SwissParty): string[] {
  const place = `${country === 'CH' ? '' : `${country}-`}${postalCode} ${town}`;
  return [name, [street, building].filter((text) => text !== '').join(' '), place].filter(
    (line) => line !== '',
  );
}
