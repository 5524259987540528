import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BalanceQueries } from './balance-queries.js';
import { BalanceRow } from './balance-row.js';
import { BalanceTransactionRow } from './balance-transaction-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([BalanceRow, BalanceTransactionRow])],
  providers: [BalanceQueries],
  exports: [BalanceQueries],
})
export class BalancesReadModule {}
