import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InvoiceQueries } from './invoice-queries.js';
import { InvoiceRow } from './invoice-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([InvoiceRow])],
  providers: [InvoiceQueries],
  exports: [InvoiceQueries],
})
export class InvoicesReadModule {}
