import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/customers';
import { CustomersReadModule } from '#projections/customers';
import { CustomersController } from './customers.controller.js';

@Module({ imports: [CqrsModule, CustomersModule, CustomersReadModule], controllers: [CustomersController] })
export class CustomersApiModule {}
