import { Module } from '@nestjs/common';
import { CreditsModule } from '#libs/contexts/credits';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { CreditAllowancesProcess } from './credit-allowances.process.js';
import { SubscriptionAllowances } from './subscription-allowances.js';

@Module({
  imports: [CreditsModule, SubscriptionsModule],
  providers: [SubscriptionAllowances, CreditAllowancesProcess],
  exports: [CreditAllowancesProcess],
})
export class CreditAllowancesModule {}
