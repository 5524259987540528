import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WalletLedgerRow } from './wallet-ledger-row.js';
import { WalletQueries } from './wallet-queries.js';
import { WalletRow } from './wallet-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([WalletRow, WalletLedgerRow])],
  providers: [WalletQueries],
  exports: [WalletQueries],
})
export class WalletsReadModule {}
