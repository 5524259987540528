import { isQrIban, isSwissAccount, sequenceNumberOf, type BankAccount } from '#libs/contexts/invoicing';

/** The reference of a transfer, by which the seller finds the invoice. `NON` is a transfer without one. */
export interface SwissReference {
  readonly type: 'QRR' | 'SCOR' | 'NON';
  /** The reference without spaces; empty for `NON`. */
  readonly text: string;
}

/** The length of a QR reference without its check digit. */
const QR_DIGITS = 26;
/** The characters of a creditor reference after `RF` and the check digits (ISO 11649). */
const CREDITOR_REFERENCE = /^[A-Z0-9]{1,21}$/;

/** The carry of the check digit "modulo 10, recursive" (Swiss Implementation Guidelines for the QR-bill, version 2.3, annex B). */
const CARRIES = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];

/**
 * Returns the reference of a transfer for an invoice: a QR reference if the account is a QR-IBAN, otherwise a creditor reference. The QR
 * reference is the sequence number of the invoice, which no other invoice of the workspace has. The creditor reference is the whole number.
 */
export function referenceOf(number: string, account: BankAccount): SwissReference | null {
  if (isQrIban(account)) {
    const sequence = sequenceNumberOf(number);
    return sequence === undefined ? null : { type: 'QRR', text: qrReference(sequence) };
  }
  const text = number.replaceAll('-', '').toUpperCase();
  return CREDITOR_REFERENCE.test(text)
    ? { type: 'SCOR', text: creditorReference(text) }
    : { type: 'NON', text: '' };
}

/**
 * Returns the text by which the seller finds the invoice of a transfer: the reference of a QR-bill if the account and the currency allow one,
 * otherwise the invoice number.
 */
export function transferTextOf(number: string, account: BankAccount, currency: string): string {
  return (takesQrBill(account, currency) && referenceOf(number, account)?.text) || number;
}

/** Whether banks take a QR-bill for the account in this currency: only in CHF and EUR, for accounts of Switzerland and Liechtenstein. */
export function takesQrBill(account: BankAccount, currency: string): currency is 'CHF' | 'EUR' {
  return isSwissAccount(account) && (currency === 'CHF' || currency === 'EUR');
}

/** Makes a QR reference of digits: zeros before them, and a check digit after them. */
export function qrReference(digits: string): string {
  const padded = digits.padStart(QR_DIGITS, '0');
  const carry = [...padded].reduce((before, digit) => CARRIES[(before + Number(digit)) % 10]!, 0);
  return `${padded}${(10 - carry) % 10}`;
}

/** Makes a creditor reference by ISO 11649. The check digits are those of ISO/IEC 7064, modulo 97-10. `text` has upper-case letters and digits. */
export function creditorReference(text: string): string {
  const digits = [...`${text}RF00`].map((character) => Number.parseInt(character, 36)).join('');
  const check = 98n - (BigInt(digits) % 97n);
  return `RF${String(check).padStart(2, '0')}${text}`;
}

/** Writes a reference for people, in groups: a QR reference of five digits from the right, a creditor reference of four characters. */
export function printedReference({ type, text }: SwissReference): string {
  return type === 'QRR' ? text.replace(/\B(?=(.{5})+$)/g, ' ') : text.replace(/(.{4})(?=.)/g, '$1 ');
}
