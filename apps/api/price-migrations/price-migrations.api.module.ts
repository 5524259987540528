import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PriceMigrationsModule } from '#libs/contexts/price-migrations';
import { CouponsReadModule } from '#projections/coupons';
import { CustomersReadModule } from '#projections/customers';
import { InvoicesReadModule } from '#projections/invoices';
import { PriceMigrationsReadModule } from '#projections/price-migrations';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { MigrationPreviewer } from './migration-previewer.js';
import { PriceMigrationsController } from './price-migrations.controller.js';

@Module({
  imports: [
    CqrsModule,
    CatalogModule,
    InvoicingModule,
    PriceMigrationsModule,
    PriceMigrationsReadModule,
    CouponsReadModule,
    CustomersReadModule,
    InvoicesReadModule,
    SubscriptionsReadModule,
  ],
  controllers: [PriceMigrationsController],
  providers: [MigrationPreviewer],
})
export class PriceMigrationsApiModule {}
