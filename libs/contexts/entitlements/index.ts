export { GrantEntitlement } from './commands/grant-entitlement.js';
export { RemoveEntitlementGrant } from './commands/remove-entitlement-grant.js';
export {
  combineEntitlements,
  type ConsumptionRange,
  type Entitlement,
  type EntitlementSource,
} from './entitlement.js';
export { entitlementGrantDecider, type EntitlementGrant } from './entitlement-grant.js';
export { EntitlementsModule } from './entitlements.module.js';
export { presentEntitlement, presentEntitlementGrant } from './present.js';
