import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BalancesModule } from '#libs/contexts/balances';
import { BalancesReadModule } from '#projections/balances';
import { CustomersReadModule } from '#projections/customers';
import { BalancesController } from './balances.controller.js';

@Module({
  imports: [CqrsModule, BalancesModule, BalancesReadModule, CustomersReadModule],
  controllers: [BalancesController],
})
export class BalancesApiModule {}
