import { StreamableFile } from '@nestjs/common';
import { E_INVOICE_PROFILES, type EInvoiceProfile } from '#libs/kernel/core';
import { E_INVOICE_FORMATS, type EInvoiceFormat } from '#libs/outputs/documents';
import { ChoiceField } from '../http/index.js';

export class EInvoiceQuery {
  @ChoiceField(E_INVOICE_FORMATS, {
    optional: true,
    description: 'The syntax: `ubl` (UBL 2.1, the default) or `cii` (UN/CEFACT Cross Industry Invoice).',
  })
  format: EInvoiceFormat = 'ubl';

  @ChoiceField(E_INVOICE_PROFILES, {
    optional: true,
    description:
      'The specification: `xrechnung` (XRechnung 3.0), `peppol` (Peppol BIS Billing 3.0, only as `ubl`), or `en16931` alone. Default: the ' +
      '`eInvoiceProfile` that the customer had when the invoice was made.',
  })
  profile?: EInvoiceProfile;
}

/** The OpenAPI description of the two e-invoice endpoints. */
export const E_INVOICE_DESCRIPTION =
  'The e-invoice follows EN 16931 and contains the data that the invoice had when it was made. `e_invoice_incomplete` (409) names the ' +
  'missing data, and where to set it for future invoices.';

/** The OpenAPI description of a 409 response of the two e-invoice endpoints. */
export const E_INVOICE_CONFLICT_DESCRIPTION =
  'The invoice lacks data that EN 16931 or the profile requires (`e_invoice_incomplete`), or the code list of EN 16931 lacks the currency ' +
  '(`e_invoice_refused`). Or the invoice is a draft or void, or the credit note is void (`not_issued`). Or the credit note has no number ' +
  'yet (`not_numbered`).';

/** Returns a response with an e-invoice, as a file to download. */
export function xmlResponse(number: string, xml: string): StreamableFile {
  const content = Buffer.from(xml);
  return new StreamableFile(content, {
    type: 'application/xml',
    disposition: `attachment; filename="${number}.xml"`,
    length: content.length,
  });
}
