import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { CouponsModule } from '#libs/contexts/coupons';
import { CreditsModule } from '#libs/contexts/credits';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { TaxesModule } from '#libs/contexts/taxes';
import { CatalogCopier } from './catalog-copier.js';
import { GoLiveHandler } from './commands/go-live.js';

@Module({
  imports: [
    CatalogModule,
    CouponsModule,
    CqrsModule,
    CreditsModule,
    InvoicingModule,
    PaymentsModule,
    TaxesModule,
    WorkspaceNamesModule,
  ],
  providers: [CatalogCopier, GoLiveHandler],
})
export class GoLiveModule {}
