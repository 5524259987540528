import { Module } from '@nestjs/common';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { LedgerReadModule } from '#projections/ledger';
import { PricesReadModule } from '#projections/prices';
import { TaxRatesReadModule } from '#projections/tax-rates';
import { AccountDetailNameFinder } from './account-detail-name-finder.js';
import { LedgerController } from './ledger.controller.js';

@Module({
  imports: [InvoicingModule, LedgerReadModule, PricesReadModule, TaxRatesReadModule],
  providers: [AccountDetailNameFinder],
  controllers: [LedgerController],
})
export class LedgerApiModule {}
