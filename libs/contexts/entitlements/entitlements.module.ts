import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { GrantEntitlementHandler } from './commands/grant-entitlement.js';
import { RemoveEntitlementGrantHandler } from './commands/remove-entitlement-grant.js';

@Module({
  imports: [CqrsModule, CustomersModule],
  providers: [GrantEntitlementHandler, RemoveEntitlementGrantHandler],
})
export class EntitlementsModule {}
