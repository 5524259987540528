import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { InvoiceDocuments } from './invoice-documents.js';
import { launchChrome } from './pdf/chrome.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';

/**
 * Makes documents for people: PDF files and hosted pages. The PDF files are printed by a browser, which starts when the first PDF is
 * requested.
 */
@Global()
@Module({
  providers: [
    {
      provide: PdfRenderer,
      useFactory: (settings: Settings) =>
        new PdfRenderer(() => launchChrome(settings), createLogger('documents', settings.logLevel)),
      inject: [SETTINGS],
    },
    InvoiceDocuments,
  ],
  exports: [InvoiceDocuments],
})
export class DocumentsModule implements OnApplicationShutdown {
  constructor(private readonly renderer: PdfRenderer) {}

  async onApplicationShutdown(): Promise<void> {
    await this.renderer.close();
  }
}
