import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/contexts/billing';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { AmendmentsController } from './amendments.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';

@Module({
  imports: [CqrsModule, SubscriptionsModule, BillingModule, SubscriptionsReadModule],
  controllers: [SubscriptionsController, AmendmentsController],
})
export class SubscriptionsApiModule {}
