import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { CouponsModule } from '#libs/contexts/coupons';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { LicensesModule } from '#libs/contexts/licenses';
import { ChangeSubscriptionHandler } from './commands/change-subscription.js';
import { CreateSubscriptionHandler } from './commands/create-subscription.js';
import { DeleteCustomerHandler } from './commands/delete-customer.js';
import { ExternalIds } from './external-ids/external-ids.js';
import { ExternalIdsProcess } from './external-ids/external-ids.process.js';
import { Subscriptions } from './subscriptions.js';
import { TermsChangeResolver } from './terms-change-resolver.js';

@Module({
  imports: [CqrsModule, CustomersModule, CatalogModule, CouponsModule, CreditsModule, LicensesModule],
  providers: [
    CreateSubscriptionHandler,
    ChangeSubscriptionHandler,
    DeleteCustomerHandler,
    ExternalIds,
    ExternalIdsProcess,
    Subscriptions,
    TermsChangeResolver,
  ],
  exports: [ExternalIds, ExternalIdsProcess, Subscriptions, TermsChangeResolver],
})
export class SubscriptionsModule {}
