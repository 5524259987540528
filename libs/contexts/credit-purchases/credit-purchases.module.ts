import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { BillingModule } from '#libs/contexts/billing';
import { CollectionModule } from '#libs/contexts/collection';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { PurchaseCreditsHandler } from './commands/purchase-credits.js';
import { VoidCreditBlockHandler } from './commands/void-credit-block.js';
import { CreditPurchasesProcess } from './credit-purchases.process.js';
import { PurchaseCompleter } from './purchase-completer.js';
import { VoidedBlockCreditNoteIssuer } from './voided-block-credit-note-issuer.js';

@Module({
  imports: [
    CqrsModule,
    ApprovalsModule,
    BillingModule,
    CollectionModule,
    CreditsModule,
    CustomersModule,
    InvoicingModule,
    PaymentsModule,
  ],
  providers: [
    PurchaseCreditsHandler,
    VoidCreditBlockHandler,
    PurchaseCompleter,
    VoidedBlockCreditNoteIssuer,
    CreditPurchasesProcess,
  ],
  exports: [CreditPurchasesProcess],
})
export class CreditPurchasesModule {}
