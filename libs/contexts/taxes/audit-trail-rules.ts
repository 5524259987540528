import { jsonNumber } from '#libs/kernel/core';
import type { TaxRateEvent } from './events.js';
import type { AuditTrailRules } from '#libs/manifest';

export const auditTrailRules: AuditTrailRules<TaxRateEvent> = {
  TaxRateCreated: {
    action: 'tax_rate.created',
    id: 'taxRateId',
    show: ['name', 'inclusive'],
    showAs: { percentage: jsonNumber },
  },
  TaxRateArchived: { action: 'tax_rate.archived', id: 'taxRateId' },
};
