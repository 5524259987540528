import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerQueries } from './customer-queries.js';
import { CustomerRow } from './customer-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([CustomerRow])],
  providers: [CustomerQueries],
  exports: [CustomerQueries],
})
export class CustomersReadModule {}
