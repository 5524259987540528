import { NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { taxRateEvents, type TaxRateDetails, type TaxRateEvent } from './events.js';

/** The state of a tax rate, computed from its events. */
export interface TaxRateRecord extends TaxRateDetails {
  taxRateId: string;
  createdAt: Instant;
  /** True if the tax rate can no longer be assigned. Customers, prices and settings that already have an archived tax rate keep it. */
  archived: boolean;
}

export type TaxRateCommand =
  | { type: 'CreateTaxRate'; at: Instant; taxRateId: string; details: TaxRateDetails }
  | { type: 'ArchiveTaxRate'; taxRateId: string };

export const taxRateDecider = defineDecider<TaxRateRecord, TaxRateCommand, TaxRateEvent>({
  category: 'taxRate',
  events: taxRateEvents,
  decide(command, rate) {
    switch (command.type) {
      case 'CreateTaxRate': {
        const { at, taxRateId, details } = command;
        return rate ? [] : [{ type: 'TaxRateCreated', data: { taxRateId, at, ...details } }];
      }
      case 'ArchiveTaxRate': {
        const { taxRateId, archived } = requireTaxRate(command.taxRateId, rate);
        return archived ? [] : [{ type: 'TaxRateArchived', data: { taxRateId } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'TaxRateCreated': {
        const { at: createdAt, ...details } = event.data;
        return { ...details, createdAt, archived: false };
      }
      case 'TaxRateArchived':
        return { ...requireCreated(state, event), archived: true };
    }
  },
});

/** Returns the tax rate. Throws NotFound if the tax rate was never created. */
function requireTaxRate(taxRateId: string, rate: TaxRateRecord | undefined): TaxRateRecord {
  if (!rate) throw NotFound.of('tax rate', taxRateId);
  return rate;
}
