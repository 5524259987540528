import { Module } from '@nestjs/common';
import { BooksExportProcess } from './books-export.process.js';
import { BooksExportStore } from './books-export-store.js';
import { BooksExporter } from './books-exporter.js';
import { ExportedBooksEraser } from './exported-books-eraser.js';

@Module({
  providers: [BooksExportStore, BooksExporter, BooksExportProcess, ExportedBooksEraser],
  exports: [BooksExportStore, BooksExportProcess, ExportedBooksEraser],
})
export class BooksModule {}
