import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { CustomersModule } from '#libs/contexts/customers';
import { Balances } from './balances.js';
import { AdjustBalanceHandler } from './commands/adjust-balance.js';

@Module({
  imports: [CqrsModule, ApprovalsModule, CustomersModule],
  providers: [Balances, AdjustBalanceHandler],
  exports: [Balances],
})
export class BalancesModule {}
