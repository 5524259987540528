import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditsModule } from '#libs/contexts/credits';
import { CreditTypesReadModule } from '#projections/credit-types';
import { AllowancesController } from './allowances.controller.js';
import { CreditTypesController } from './credit-types.controller.js';
import { RatesController } from './rates.controller.js';

@Module({
  imports: [CqrsModule, CreditsModule, CreditTypesReadModule],
  controllers: [CreditTypesController, RatesController, AllowancesController],
})
export class CreditTypesApiModule {}
