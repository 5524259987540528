import { Module } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { BooksExportProcess } from './books-export.process.js';
import { BooksExportStore } from './books-export-store.js';
import { BooksExporter } from './books-exporter.js';
import { ExportedBooksEraser } from './exported-books-eraser.js';

@Module({
  providers: [
    BooksExportStore,
    BooksExporter,
    {
      provide: BooksExportProcess,
      useFactory: (store: BooksExportStore, exporter: BooksExporter, { logLevel }: Settings) =>
        new BooksExportProcess(store, exporter, createLogger('books', logLevel)),
      inject: [BooksExportStore, BooksExporter, SETTINGS],
    },
    ExportedBooksEraser,
  ],
  exports: [BooksExportStore, BooksExportProcess, ExportedBooksEraser],
})
export class BooksModule {}
