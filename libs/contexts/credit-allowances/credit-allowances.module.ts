import { Module } from '@nestjs/common';
import { CreditsModule } from '#libs/contexts/credits';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { CreditAllowancesProcess } from './credit-allowances.process.js';
import { AllowanceUpdater } from './allowance-updater.js';

@Module({
  imports: [CreditsModule, SubscriptionsModule],
  providers: [AllowanceUpdater, CreditAllowancesProcess],
  exports: [CreditAllowancesProcess],
})
export class CreditAllowancesModule {}
