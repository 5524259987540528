import { jsonNumber } from '#libs/kernel/core';
import type { TaxRateEvent } from '#libs/contexts/taxes';
import type { AuditRules } from './rule.js';

export const taxRules: AuditRules<TaxRateEvent> = {
  TaxRateCreated: {
    action: 'tax_rate.created',
    id: 'taxRateId',
    show: ['name', 'inclusive'],
    showAs: { percentage: jsonNumber },
  },
  TaxRateArchived: { action: 'tax_rate.archived', id: 'taxRateId' },
};
