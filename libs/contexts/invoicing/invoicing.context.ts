import { NO_POSTINGS } from '#libs/contexts/ledger';
import { defineContext, CHANGE } from '#libs/manifest';
import { InvoicingModule } from './invoicing.module.js';
import { CustomerBalanceProcess } from './customer-balance.process.js';
import { InvoicingProcess } from './invoicing.process.js';
import { invoicePostingRules } from './postings/invoices.js';
import { invoiceDecider } from './decider.js';
import { billingSettingsDecider } from './settings/billing-settings.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { Invoicing1700000001010 } from './migrations/1700000001010-invoicing.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [invoiceDecider, billingSettingsDecider],
  auditTrailRules,
  postings: { ...invoicePostingRules, BillingSettingsChanged: NO_POSTINGS },
  permissions,
  idPrefixes: ['inv', 'cn', 'ref', 'rpay'],
  tables: { migrations: [Invoicing1700000001010], rights: { app: { invoicing: { '*': CHANGE } } } },
  webhooks: webhookEvents,
  background: {
    modules: [InvoicingModule],
    processManagers: [CustomerBalanceProcess, InvoicingProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData,
  answers: [],
});
