import { StreamableFile } from '@nestjs/common';
import { E_INVOICE_FORMATS, type EInvoiceFormat } from '#libs/outputs/documents';
import { ChoiceField } from '../http/index.js';

export class EInvoiceQuery {
  @ChoiceField(E_INVOICE_FORMATS, {
    optional: true,
    description: 'The syntax: `ubl` (UBL 2.1, the default) or `cii` (UN/CEFACT Cross Industry Invoice).',
  })
  format: EInvoiceFormat = 'ubl';
}

/** What both endpoints say of themselves. */
export const E_INVOICE_DESCRIPTION =
  'By EN 16931. It says what the invoice had when it was made: `e_invoice_incomplete` (409) names what is missing and where to set it, ' +
  'for invoices to come.';

/** Of both, when there is none. */
export const E_INVOICE_CONFLICT =
  'It says too little for EN 16931 (`e_invoice_incomplete`), or is a draft, which has no number.';

/** An e-invoice as it is answered: a file to be kept. */
export function xmlFile(number: string, xml: string): StreamableFile {
  const content = Buffer.from(xml);
  return new StreamableFile(content, {
    type: 'application/xml',
    disposition: `attachment; filename="${number}.xml"`,
    length: content.length,
  });
}
