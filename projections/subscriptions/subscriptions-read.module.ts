import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SubscriptionQueries } from './subscription-queries.js';
import { SubscriptionRow } from './subscription-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([SubscriptionRow])],
  providers: [SubscriptionQueries],
  exports: [SubscriptionQueries],
})
export class SubscriptionsReadModule {}
