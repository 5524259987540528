import { Conflict, InvalidRequest, type Language } from '#libs/kernel/core';
import type { EInvoice } from './e-invoice.js';
import { createFormat, eInvoiceCurrencies, type LibraryFormat } from './library.js';
import { ublOf } from './ubl.js';

/** The two syntaxes of EN 16931: `ubl` (UBL 2.1, as Peppol uses it) and `cii` (Cross Industry Invoice, as Factur-X uses it). */
export const E_INVOICE_FORMATS = ['ubl', 'cii'] as const;
export type EInvoiceFormat = (typeof E_INVOICE_FORMATS)[number];

/**
 * Writes an e-invoice as XML. Throws Conflict `e_invoice_refused` if the code list of EN 16931 does not contain the currency. Throws
 * InvalidRequest for a Peppol invoice in CII: Peppol BIS Billing 3.0 is a specification of UBL.
 */
export async function writeXml(invoice: EInvoice, format: EInvoiceFormat, lang: Language): Promise<string> {
  if (invoice.profile === 'peppol' && format === 'cii')
    throw InvalidRequest.field(
      'format',
      'must be ubl for the profile peppol; leave it out, or choose another profile',
    );
  return (await generate(invoice, format === 'ubl' ? 'UBL' : 'CII', { lang })) as string;
}

/** Converts a PDF to PDF/A-3 with the e-invoice inside, as `factur-x.xml`. Throws Conflict as {@link writeXml} does. */
export async function embedXml(pdf: Buffer, invoice: EInvoice, lang: Language): Promise<Buffer> {
  const file = { buffer: pdf, filename: `${invoice.number}.pdf`, mimetype: 'application/pdf' };
  return Buffer.from(await generate(invoice, 'Factur-X-EN16931', { lang, pdf: file }));
}

/** Tells whether an e-invoice can be in this currency: the code list of EN 16931 must contain the currency. */
export async function isEInvoiceCurrency(currency: string): Promise<boolean> {
  return (await eInvoiceCurrencies()).has(currency);
}

type Format = Awaited<ReturnType<typeof createFormat>>;

async function generate(
  invoice: EInvoice,
  name: LibraryFormat,
  options: Omit<Parameters<Format['generate']>[1], 'format'>,
): Promise<string | Uint8Array> {
  if (!(await isEInvoiceCurrency(invoice.currency)))
    throw new Conflict('e_invoice_refused', `EN 16931 does not have the currency ${invoice.currency}`);
  const format = await createFormat(name, invoice);
  // The library's types require codes, but our types have strings.
  const ubl = ublOf(invoice) as unknown as Parameters<Format['generate']>[0];
  return format.generate(ubl, { format: name, ...options });
}
