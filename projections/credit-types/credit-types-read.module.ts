import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CreditTypeQueries } from './credit-type-queries.js';
import { CreditTypeRow } from './credit-type-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([CreditTypeRow])],
  providers: [CreditTypeQueries],
  exports: [CreditTypeQueries],
})
export class CreditTypesReadModule {}
