import { StreamableFile } from '@nestjs/common';

/** Returns a response with a PDF, which a browser shows. `name` is the file name under which a browser saves the PDF. */
export function pdfResponse(pdf: Buffer, name: string): StreamableFile {
  return new StreamableFile(pdf, {
    type: 'application/pdf',
    disposition: `inline; filename="${name}"`,
    length: pdf.length,
  });
}
