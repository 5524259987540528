import { StreamableFile } from '@nestjs/common';

/** A response with a PDF, which a browser shows. `name` is the file name for saving. */
export function pdfFile(pdf: Buffer, name: string): StreamableFile {
  return new StreamableFile(pdf, {
    type: 'application/pdf',
    disposition: `inline; filename="${name}"`,
    length: pdf.length,
  });
}
