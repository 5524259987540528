import { Decimal } from '#libs/kernel/core';
import { amountToPay, isQrIban, type Invoice } from '#libs/contexts/invoicing';
import { qrCodeOf } from '../qr-code/qr-code.js';
import { svgOf, type TransferCode } from '../qr-code/svg.js';
import type { SwissBill } from '../swiss-bill/payload.js';
import { swissCodeOf } from '../swiss-bill/swiss-code.js';

/** The countries of SEPA (European Payments Council, EPC409-09). Their banks take transfers in euros. */
const SEPA = new Set(
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'.split(
    ' ',
  ),
);

/** The limits of EPC069-12, version 3.1, section 2. */
const MAX_VERSION = 13;
const MAX_NAME = 70;
const MAX_AMOUNT = '999999999.99';

/**
 * Returns the QR code by which a banking app fills in a transfer for the amount due: that of the QR-bill if the invoice has one, otherwise an
 * EPC code. Returns null if there is neither.
 */
export function transferCodeOf(
  invoice: Invoice,
  sellerName: string | null,
  swissBill: SwissBill | null,
): TransferCode | null {
  return swissBill === null ? epcCodeOf(invoice, sellerName) : swissCodeOf(swissBill);
}

/**
 * Returns the code of a SEPA transfer (EPC069-12, "EPC QR code"). Returns null if the invoice is not in euros, if the seller has no account at
 * a bank of SEPA, or if nothing is due. A QR-IBAN takes no SEPA transfers. The text of the transfer is the invoice number.
 */
function epcCodeOf(invoice: Invoice, sellerName: string | null): TransferCode | null {
  const account = invoice.settings.seller?.bankAccount;
  const amount = amountToPay(invoice);
  const isPayable = new Decimal(amount).gt(0) && new Decimal(amount).lte(MAX_AMOUNT);
  if (!account || sellerName === null || invoice.currency !== 'EUR' || !isPayable) return null;
  if (!SEPA.has(account.iban.slice(0, 2)) || isQrIban(account)) return null;
  const text = epcText({ ...account, name: sellerName, amount, text: invoice.number ?? '' });
  const { side, path } = svgOf(qrCodeOf(text, MAX_VERSION));
  return { side, path, cross: null };
}

/** The lines of an EPC QR code, in their order. Version 002 needs no BIC, and character set 1 is UTF-8. */
function epcText(of: {
  iban: string;
  bic: string | null;
  name: string;
  amount: string;
  text: string;
}): string {
  const name = cut(of.name.replaceAll(/\s+/g, ' ').trim(), MAX_NAME);
  const [purpose, structuredReference] = ['', ''];
  const lines = ['BCD', '002', '1', 'SCT', of.bic ?? '', name, of.iban, `EUR${of.amount}`];
  return [...lines, purpose, structuredReference, of.text].join('\n');
}

/** Cuts a text without cutting a character in two. */
function cut(text: string, length: number): string {
  return [...text].slice(0, length).join('');
}
