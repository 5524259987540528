import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { PricesReadModule } from '#projections/prices';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { PricesController } from './prices.controller.js';

@Module({
  imports: [CqrsModule, CatalogModule, PricesReadModule, SubscriptionsReadModule],
  controllers: [PricesController],
})
export class PricesApiModule {}
