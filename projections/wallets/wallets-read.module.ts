import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WalletLedgerRow } from './wallet-ledger-row.js';
import { WalletQueries } from './wallet-queries.js';

@Module({
  imports: [TypeOrmModule.forFeature([WalletLedgerRow])],
  providers: [WalletQueries],
  exports: [WalletQueries],
})
export class WalletsReadModule {}
