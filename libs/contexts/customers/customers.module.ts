import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TaxesModule } from '#libs/contexts/taxes';
import { ChangeCustomerHandler } from './commands/change-customer.js';
import { CreateCustomerHandler } from './commands/create-customer.js';
import { Customers } from './customers.js';

@Module({
  imports: [CqrsModule, TaxesModule],
  providers: [CreateCustomerHandler, ChangeCustomerHandler, Customers],
  exports: [Customers],
})
export class CustomersModule {}
