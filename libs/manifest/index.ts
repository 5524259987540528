export { INTERNAL, type AuditTrailRule, type AuditTrailRules } from './audit-trail-rules.js';
export type { BackgroundWork, ContextRetention } from './background.js';
export {
  auditTrailRules,
  backgroundWork,
  contexts,
  customerDataParts,
  isAuditEntry,
  personalDataErasers,
  postingRules,
  tables,
  vocabulary,
  webhookEvents,
  type LoadedContext,
} from './contexts.js';
export type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from './customer-data.js';
export { discoverFiles, type DiscoveredFile } from './discovery.js';
export { defineContext, NONE, type ContextManifest } from './manifest.js';
export {
  ROLES,
  type Access,
  type Permission,
  type Permissions,
  type ResourceAccess,
  type Role,
} from './permissions.js';
export {
  hasPermission,
  isAllowed,
  isKnownPermission,
  isSubsetOf,
  permissionsOf,
} from './permission-lookup.js';
export type { ErasedPerson, PersonalDataEraser } from './personal-data.js';
export { ADD, CHANGE, NO_RIGHT, READ, type TableRights, type Tables } from './tables.js';
export { EXAMPLE, type WebhookContent, type WebhookEvents, type WebhookResource } from './webhook-events.js';
