import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { Balances } from './balances.js';
import { AdjustBalanceHandler } from './commands/adjust-balance.js';

@Module({
  imports: [CqrsModule, CustomersModule],
  providers: [Balances, AdjustBalanceHandler],
  exports: [Balances],
})
export class BalancesModule {}
