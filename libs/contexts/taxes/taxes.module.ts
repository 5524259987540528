import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ArchiveTaxRateHandler } from './commands/archive-tax-rate.js';
import { CreateTaxRateHandler } from './commands/create-tax-rate.js';
import { TaxRates } from './tax-rates.js';

@Module({
  imports: [CqrsModule],
  providers: [CreateTaxRateHandler, ArchiveTaxRateHandler, TaxRates],
  exports: [TaxRates],
})
export class TaxesModule {}
