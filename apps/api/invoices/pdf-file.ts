import { StreamableFile } from '@nestjs/common';

/** A PDF that a browser shows, with the name that it is saved by. */
export function pdfFile(pdf: Buffer, name: string): StreamableFile {
  return new StreamableFile(pdf, {
    type: 'application/pdf',
    disposition: `inline; filename="${name}"`,
    length: pdf.length,
  });
}
