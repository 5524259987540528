import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PrivacyModule } from '#libs/contexts/privacy';
import { customerDataParts } from '#libs/manifest';
import { ZipExportWriter } from './zip-export-writer.js';
import { CustomerDocumentMaker } from './customer-document-maker.js';
import { DataExportController } from './data-export.controller.js';
import { JsonExportWriter } from './document.js';

/** The module for the export of a customer's data. The export consists of parts, and each context can declare parts. */
@Module({
  imports: [CqrsModule, InvoicingModule, PrivacyModule, WorkspaceNamesModule],
  controllers: [DataExportController],
  providers: [
    ...customerDataParts().map(({ source }) => source),
    ZipExportWriter,
    CustomerDocumentMaker,
    JsonExportWriter,
  ],
})
export class DataExportApiModule {}
