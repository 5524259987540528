import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditsModule } from '#libs/contexts/credits';
import { CreditTypesReadModule } from '#projections/credit-types';
import { CustomersReadModule } from '#projections/customers';
import { WalletsReadModule } from '#projections/wallets';
import { WalletsController } from './wallets.controller.js';

@Module({
  imports: [CqrsModule, CreditsModule, CreditTypesReadModule, CustomersReadModule, WalletsReadModule],
  controllers: [WalletsController],
})
export class WalletsApiModule {}
