import { Module } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { BooksModule } from './books.module.js';
import { BooksExportProcess } from './exports/books-export.process.js';
import { BooksExportStore } from './exports/books-export-store.js';
import { BooksExporter } from './exports/books-exporter.js';
import { BooksEraser } from './jobs/books-eraser.js';
import { BooksVerificationProcess } from './verifications/books-verification.process.js';
import { BooksVerificationRunner } from './verifications/books-verification-runner.js';
import { BooksVerificationStore } from './verifications/books-verification-store.js';

/** Makes exports and verifications of the books. The app that imports this module provides a `BooksVerifier`. */
@Module({
  imports: [BooksModule],
  providers: [
    BooksExporter,
    BooksVerificationRunner,
    BooksEraser,
    {
      provide: BooksExportProcess,
      useFactory: (store: BooksExportStore, exporter: BooksExporter, { logLevel }: Settings) =>
        new BooksExportProcess(store, exporter, createLogger('books', logLevel)),
      inject: [BooksExportStore, BooksExporter, SETTINGS],
    },
    {
      provide: BooksVerificationProcess,
      useFactory: (store: BooksVerificationStore, runner: BooksVerificationRunner, { logLevel }: Settings) =>
        new BooksVerificationProcess(store, runner, createLogger('books', logLevel)),
      inject: [BooksVerificationStore, BooksVerificationRunner, SETTINGS],
    },
  ],
  exports: [BooksExportProcess, BooksVerificationProcess, BooksEraser],
})
export class BooksJobsModule {}
