import { Module } from '@nestjs/common';
import { BooksExportStore } from './exports/books-export-store.js';
import { BooksVerificationStore } from './verifications/books-verification-store.js';

/** Stores exports and verifications of the books. */
@Module({
  providers: [BooksExportStore, BooksVerificationStore],
  exports: [BooksExportStore, BooksVerificationStore],
})
export class BooksModule {}
