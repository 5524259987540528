import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TaxRateQueries } from './tax-rate-queries.js';
import { TaxRateRow } from './tax-rate-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([TaxRateRow])],
  providers: [TaxRateQueries],
  exports: [TaxRateQueries],
})
export class TaxRatesReadModule {}
