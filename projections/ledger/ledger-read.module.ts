import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LedgerPostingRow } from './ledger-posting-row.js';
import { LedgerQueries } from './ledger-queries.js';
import { ReceivablesAgeingQueries } from './receivables-ageing-queries.js';
import { RevenueQueries } from './revenue-queries.js';

@Module({
  imports: [TypeOrmModule.forFeature([LedgerPostingRow])],
  providers: [LedgerQueries, ReceivablesAgeingQueries, RevenueQueries],
  exports: [LedgerQueries, ReceivablesAgeingQueries, RevenueQueries],
})
export class LedgerReadModule {}
