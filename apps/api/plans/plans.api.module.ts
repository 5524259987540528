import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { PlansReadModule } from '#projections/plans';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { PlansController } from './plans.controller.js';

@Module({
  imports: [CqrsModule, CatalogModule, PlansReadModule, SubscriptionsReadModule],
  controllers: [PlansController],
})
export class PlansApiModule {}
