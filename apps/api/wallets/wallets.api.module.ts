import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditPurchasesModule } from '#libs/contexts/credit-purchases';
import { CreditsModule } from '#libs/contexts/credits';
import { CreditTypesReadModule } from '#projections/credit-types';
import { CustomersReadModule } from '#projections/customers';
import { WalletsReadModule } from '#projections/wallets';
import { UsageApiModule } from '../usage/usage.api.module.js';
import { WalletCheckController } from './wallet-check.controller.js';
import { WalletsController } from './wallets.controller.js';

@Module({
  imports: [
    CqrsModule,
    CreditPurchasesModule,
    CreditsModule,
    CreditTypesReadModule,
    CustomersReadModule,
    UsageApiModule,
    WalletsReadModule,
  ],
  controllers: [WalletsController, WalletCheckController],
})
export class WalletsApiModule {}
