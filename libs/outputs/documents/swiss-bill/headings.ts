import type { QrBillLanguage } from '#libs/contexts/invoicing';
import type { Language } from '#libs/kernel/core';

/** The texts of a QR-bill, which the guidelines prescribe. */
export interface SwissBillHeadings {
  readonly paymentPart: string;
  readonly receipt: string;
  readonly account: string;
  readonly reference: string;
  readonly additionalInformation: string;
  readonly payableBy: string;
  /** The heading above the field in which the payer writes. */
  readonly payableByBlank: string;
  readonly currency: string;
  readonly amount: string;
  readonly acceptancePoint: string;
  /** The text above the line along which the bill is cut. */
  readonly separate: string;
}

/**
 * The texts by language (Swiss Implementation Guidelines for the QR-bill, version 2.3, annex D). A bill is in German, French, Italian or
 * English.
 */
export const SWISS_BILL_HEADINGS: Readonly<Record<QrBillLanguage, SwissBillHeadings>> = {
  en: {
    paymentPart: 'Payment part',
    receipt: 'Receipt',
    account: 'Account / Payable to',
    reference: 'Reference',
    additionalInformation: 'Additional information',
    payableBy: 'Payable by',
    payableByBlank: 'Payable by (name/address)',
    currency: 'Currency',
    amount: 'Amount',
    acceptancePoint: 'Acceptance point',
    separate: 'Separate before paying in',
  },
  de: {
    paymentPart: 'Zahlteil',
    receipt: 'Empfangsschein',
    account: 'Konto / Zahlbar an',
    reference: 'Referenz',
    additionalInformation: 'Zusätzliche Informationen',
    payableBy: 'Zahlbar durch',
    payableByBlank: 'Zahlbar durch (Name/Adresse)',
    currency: 'Währung',
    amount: 'Betrag',
    acceptancePoint: 'Annahmestelle',
    separate: 'Vor der Einzahlung abzutrennen',
  },
  fr: {
    paymentPart: 'Section paiement',
    receipt: 'Récépissé',
    account: 'Compte / Payable à',
    reference: 'Référence',
    additionalInformation: 'Informations supplémentaires',
    payableBy: 'Payable par',
    payableByBlank: 'Payable par (nom/adresse)',
    currency: 'Monnaie',
    amount: 'Montant',
    acceptancePoint: 'Point de dépôt',
    separate: 'A détacher avant le versement',
  },
  it: {
    paymentPart: 'Sezione pagamento',
    receipt: 'Ricevuta',
    account: 'Conto / Pagabile a',
    reference: 'Riferimento',
    additionalInformation: 'Informazioni supplementari',
    payableBy: 'Pagabile da',
    payableByBlank: 'Pagabile da (nome/indirizzo)',
    currency: 'Valuta',
    amount: 'Importo',
    acceptancePoint: 'Punto di accettazione',
    separate: 'Da staccare prima del versamento',
  },
};

/** The language of a QR-bill on documents in a language, if the seller has not chosen one. */
export function qrBillLanguageFor(language: Language): QrBillLanguage {
  return language === 'es' || language === 'ja' ? 'en' : language;
}
