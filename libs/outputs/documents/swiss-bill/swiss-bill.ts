import { Decimal, type PostalAddress } from '#libs/kernel/core';
import { amountToPay, type Invoice } from '#libs/contexts/invoicing';
import { knownAddress } from '../invoice/address.js';
import { wordingOf } from '../languages/index.js';
import { permittedText } from './characters.js';
import type { SwissBill, SwissParty } from './payload.js';
import { referenceOf, takesQrBill } from './reference.js';

/** The lengths of texts (Swiss Implementation Guidelines for the QR-bill, version 2.3, section 4.2.2). */
const MAX = { name: 70, street: 70, building: 16, postalCode: 16, town: 35, message: 140 };
const MAX_AMOUNT = '999999999.99';

/** Matches a street with the number of a building at its end, such as `Am Wasser 1` or `Mustergasse 28b`. */
const STREET_AND_BUILDING = /^(.*\S) (\d+ ?[a-zA-Z]?(?:[-/]\d+ ?[a-zA-Z]?)?)$/;

/**
 * Makes the QR-bill of an invoice by the Swiss Implementation Guidelines for the QR-bill, version 2.3 (SIX, in force since 21 November 2025).
 * Returns null if no bank would take one: see {@link takesQrBill}, or nothing is due. The seller's address must have a postal code and
 * only permitted letters. A customer whose address lacks that is left out.
 *
 * @param sellerName the printed name of the seller
 */
export function swissBillOf(invoice: Invoice, sellerName: string | null): SwissBill | null {
  const { number, currency, settings } = invoice;
  const { seller, language } = settings;
  const amount = amountToPay(invoice);
  const isPayable = new Decimal(amount).gt(0) && new Decimal(amount).lte(MAX_AMOUNT);
  if (!seller?.bankAccount || number === null || !isPayable) return null;
  if (!takesQrBill(seller.bankAccount, currency)) return null;
  const creditor = partyOf(sellerName, seller.address);
  const reference = referenceOf(number, seller.bankAccount);
  if (creditor === null || reference === null) return null;
  return {
    iban: seller.bankAccount.iban,
    creditor,
    amount,
    currency,
    reference,
    debtor: partyOf(invoice.billToName, knownAddress(invoice.billToAddress)),
    message: permittedText(`${wordingOf(language).invoice} ${number}`, MAX.message) ?? number,
  };
}

/** The party of a name and an address; null if the bill cannot have it. A structured address has no place for a second line. */
function partyOf(name: string | null, address: PostalAddress | null): SwissParty | null {
  if (name === null || !address?.postalCode) return null;
  const [street, building] = streetAndBuilding(address.line1);
  const party = {
    name: permittedText(name, MAX.name),
    street: permittedText(street, MAX.street),
    building: permittedText(building, MAX.building),
    postalCode: permittedText(address.postalCode, MAX.postalCode),
    town: permittedText(address.city, MAX.town),
    country: address.country,
  };
  return isWhole(party) ? party : null;
}

function isWhole(party: { readonly [Field in keyof SwissParty]: string | null }): party is SwissParty {
  const isPermitted = Object.values(party).every((text) => text !== null);
  return isPermitted && Boolean(party.name && party.postalCode && party.town);
}

function streetAndBuilding(line: string): readonly [street: string, building: string] {
  const found = STREET_AND_BUILDING.exec(line.trim());
  return found ? [found[1]!, found[2]!] : [line, ''];
}
