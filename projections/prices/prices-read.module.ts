import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PriceQueries } from './price-queries.js';
import { PriceRow } from './price-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([PriceRow])],
  providers: [PriceQueries],
  exports: [PriceQueries],
})
export class PricesReadModule {}
