import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WalletLedgerEntryRow } from './wallet-ledger-entry-row.js';
import { WalletQueries } from './wallet-queries.js';

@Module({
  imports: [TypeOrmModule.forFeature([WalletLedgerEntryRow])],
  providers: [WalletQueries],
  exports: [WalletQueries],
})
export class WalletsReadModule {}
