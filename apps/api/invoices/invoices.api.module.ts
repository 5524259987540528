import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/contexts/billing';
import { CollectionModule } from '#libs/contexts/collection';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { CreditNotesReadModule } from '#projections/credit-notes';
import { InvoicesReadModule } from '#projections/invoices';
import { PaymentsReadModule } from '#projections/payments';
import { AllCreditNotesController } from './all-credit-notes.controller.js';
import { AllPaymentsController } from './all-payments.controller.js';
import { CreditNotesController } from './credit-notes.controller.js';
import { InvoicesController } from './invoices.controller.js';
import { RecordedPaymentsController } from './recorded-payments.controller.js';

@Module({
  imports: [
    CqrsModule,
    BillingModule,
    CollectionModule,
    InvoicingModule,
    WorkspaceNamesModule,
    InvoicesReadModule,
    CreditNotesReadModule,
    PaymentsReadModule,
  ],
  controllers: [
    InvoicesController,
    CreditNotesController,
    RecordedPaymentsController,
    AllCreditNotesController,
    AllPaymentsController,
  ],
})
export class InvoicesApiModule {}
