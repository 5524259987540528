import type { SwissReference } from './reference.js';

/** A party with a structured address (type S), the only type since 21 November 2025. Unknown fields are empty. */
export interface SwissParty {
  readonly name: string;
  readonly street: string;
  readonly building: string;
  readonly postalCode: string;
  readonly town: string;
  readonly country: string;
}

/** What a QR-bill says. All texts have only permitted characters and lengths. */
export interface SwissBill {
  /** The account, in Switzerland or Liechtenstein, without spaces. */
  readonly iban: string;
  readonly creditor: SwissParty;
  /** The amount, with two decimals. */
  readonly amount: string;
  readonly currency: 'CHF' | 'EUR';
  /** The customer; null if its address is not known completely. The payer then writes it. */
  readonly debtor: SwissParty | null;
  readonly reference: SwissReference;
  /** The additional information, of at most 140 characters. */
  readonly message: string;
}

const NO_PARTY = ['', '', '', '', '', '', ''];

/** The text of a Swiss QR code (Swiss Implementation Guidelines for the QR-bill, version 2.3, section 4.2: version 0200 of the code). */
export function swissBillText(bill: SwissBill): string {
  const { iban, creditor, amount, currency, debtor, reference, message } = bill;
  const ultimateCreditor = NO_PARTY;
  return [
    'SPC',
    '0200',
    '1',
    iban,
    ...partyLines(creditor),
    ...ultimateCreditor,
    amount,
    currency,
    ...(debtor === null ? NO_PARTY : partyLines(debtor)),
    reference.type,
    reference.text,
    message,
    'EPD',
  ].join('\n');
}

function partyLines({ name, street, building, postalCode, town, country }: SwissParty): string[] {
  return ['S', name, street, building, postalCode, town, country];
}
