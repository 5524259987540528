import { Module } from '@nestjs/common';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { BooksModule } from '#libs/outputs/books';
import { LedgerReadModule } from '#projections/ledger';
import { PricesReadModule } from '#projections/prices';
import { TaxRatesReadModule } from '#projections/tax-rates';
import { AccountDetailNameFinder } from './account-detail-name-finder.js';
import { BooksExportsController } from './books-exports.controller.js';
import { BooksVerificationsController } from './books-verifications.controller.js';
import { LedgerController } from './ledger.controller.js';

@Module({
  imports: [BooksModule, InvoicingModule, LedgerReadModule, PricesReadModule, TaxRatesReadModule],
  providers: [AccountDetailNameFinder],
  controllers: [LedgerController, BooksExportsController, BooksVerificationsController],
})
export class LedgerApiModule {}
