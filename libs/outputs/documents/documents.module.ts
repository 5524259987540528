import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { InvoiceDocuments } from './invoice-documents.js';
import { launchChrome, tryOutChrome } from './pdf/chrome.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';
import { PrintingCheck } from './pdf/printing-check.js';

/**
 * Makes documents for people: PDF files and hosted pages. The PDF files are printed by a browser, which starts when the first PDF is
 * requested.
 */
@Global()
@Module({
  providers: [
    {
      provide: PrintingCheck,
      useFactory: (settings: Settings) =>
        new PrintingCheck(() => tryOutChrome(settings), createLogger('documents', settings.logLevel)),
      inject: [SETTINGS],
    },
    {
      provide: PdfRenderer,
      useFactory: (settings: Settings, check: PrintingCheck) =>
        new PdfRenderer(
          () => check.watch(launchChrome(settings)),
          createLogger('documents', settings.logLevel),
        ),
      inject: [SETTINGS, PrintingCheck],
    },
    InvoiceDocuments,
  ],
  exports: [InvoiceDocuments, PrintingCheck],
})
export class DocumentsModule implements OnApplicationShutdown {
  constructor(private readonly renderer: PdfRenderer) {}

  async onApplicationShutdown(): Promise<void> {
    await this.renderer.close();
  }
}
