import type { DynamicModule, Type } from '@nestjs/common';
import { BillingModule, BillingProcess, CustomerSubscriptionsModule } from '#libs/billing';
import { MeteringModule, MeteringProcess } from '#libs/catalog';
import type { Settings } from '#libs/core';
import { BalanceProcess, CollectionProcess, InvoicingModule } from '#libs/invoicing';
import {
  PlannedPriceMigrationsModule,
  PriceMigrationProcess,
  PriceMigrationRunsModule,
} from '#libs/price-migrations';
import type { ProcessManager } from '#libs/saga';
import { WebhooksModule, WebhooksProcess } from '#libs/webhooks';
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
