import { Module } from '@nestjs/common';
import { BalancesReadModule } from '#projections/balances';
import { CustomersReadModule } from '#projections/customers';
import { BalancesController } from './balances.controller.js';

@Module({ imports: [BalancesReadModule, CustomersReadModule], controllers: [BalancesController] })
export class BalancesApiModule {}
