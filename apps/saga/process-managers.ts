import type { DynamicModule, Type } from '@nestjs/common';
import { BillingModule, BillingProcess, CustomerSubscriptionsModule } from '#libs/contexts/billing';
import { MeteringModule, MeteringProcess } from '#libs/contexts/catalog';
import type { Settings } from '#libs/kernel/system';
import { BalanceProcess, CollectionProcess, InvoicingModule } from '#libs/contexts/invoicing';
import {
  PlannedPriceMigrationsModule,
  PriceMigrationProcess,
  PriceMigrationRunsModule,
} from '#libs/contexts/price-migrations';
import type { ProcessManager } from '#libs/kernel/saga';
import { WebhooksModule, WebhooksProcess } from '#libs/outputs/webhooks';
import { LiveCustomerSubscriptions, SubscriptionPlanSubscribers } from '#projections/subscriptions';

/** Every process manager, provided and exported by one of the modules below. */
export const processManagers: Type<ProcessManager>[] = [
  BillingProcess,
  BalanceProcess,
  CollectionProcess,
  MeteringProcess,
  PriceMigrationProcess,
  WebhooksProcess,
];

/** The modules that the process managers live in. */
export function processManagerModules(settings: Settings): (Type | DynamicModule)[] {
  return [
    CustomerSubscriptionsModule.with(LiveCustomerSubscriptions),
    PlannedPriceMigrationsModule,
    BillingModule,
    InvoicingModule,
    MeteringModule,
    PriceMigrationRunsModule.with(SubscriptionPlanSubscribers),
    WebhooksModule.forRoot(settings),
  ];
}
