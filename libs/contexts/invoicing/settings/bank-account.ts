/** A bank account. `iban` and `bic` contain no spaces. */
export interface BankAccount {
  iban: string;
  bic: string | null;
}

/** The institution numbers of QR-IBANs (Swiss Implementation Guidelines for the QR-bill, version 2.3, section 2.1). */
const QR_INSTITUTIONS = { first: 30_000, last: 31_999 };

/** Tells whether an account is in Switzerland or Liechtenstein, whose banks take QR-bills. */
export function isSwissAccount({ iban }: Pick<BankAccount, 'iban'>): boolean {
  return /^(CH|LI)/.test(iban);
}

/** Tells whether an IBAN is a QR-IBAN. A bank takes only QR-bills with a QR reference for it. */
export function isQrIban({ iban }: Pick<BankAccount, 'iban'>): boolean {
  const institution = Number(iban.slice(4, 9));
  return (
    isSwissAccount({ iban }) && institution >= QR_INSTITUTIONS.first && institution <= QR_INSTITUTIONS.last
  );
}
