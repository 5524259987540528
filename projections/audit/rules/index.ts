import type { AuditRule, INTERNAL } from './rule.js';
import { anchorRules } from './audit.js';
import {
  balanceRules,
  billingRunRules,
  billingSettingsRules,
  consolidationRules,
  invoiceRules,
  subscriptionRules,
} from './billing.js';
import { catalogRules } from './catalog.js';
import { couponRules } from './coupons.js';
import { customerRules } from './customers.js';
import { identityRules } from './identity.js';
import { planMigrationsRules, priceMigrationRules } from './price-migrations.js';
import { taxRules } from './taxes.js';
import { unmatchedUsageRules } from './usage.js';
import { webhookRules } from './webhooks.js';

/** The one table from event types to what they are in the audit trail. */
export const auditRules = new Map<string, AuditRule | typeof INTERNAL>(
  Object.entries({
    ...identityRules,
    ...customerRules,
    ...catalogRules,
    ...subscriptionRules,
    ...invoiceRules,
    ...balanceRules,
    ...billingRunRules,
    ...consolidationRules,
    ...priceMigrationRules,
    ...planMigrationsRules,
    ...billingSettingsRules,
    ...webhookRules,
    ...anchorRules,
    ...couponRules,
    ...taxRules,
    ...unmatchedUsageRules,
  }) as [string, AuditRule | typeof INTERNAL][],
);
