import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createLogger, type Settings } from '#libs/kernel/system';
import { InvoiceDocuments } from './invoice-documents.js';
import { launchChrome } from './pdf/chrome.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';

/** Makes documents for people: PDF files and hosted pages. The browser starts with the first PDF. */
@Global()
@Module({})
export class DocumentsModule implements OnApplicationShutdown {
  constructor(private readonly renderer: PdfRenderer) {}

  static forRoot(settings: Settings): DynamicModule {
    return {
      module: DocumentsModule,
      providers: [
        {
          provide: PdfRenderer,
          useFactory: () =>
            new PdfRenderer(() => launchChrome(settings), createLogger('documents', settings.logLevel)),
        },
        InvoiceDocuments,
      ],
      exports: [InvoiceDocuments],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.renderer.close();
  }
}
