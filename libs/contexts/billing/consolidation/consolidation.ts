import { deriveId } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { consolidationEvents, type Consolidation, type ConsolidationEvent } from './events.js';

export interface ConsolidateInvoice {
  type: 'ConsolidateInvoice';
  consolidation: Consolidation;
}

/** Decides only once which subscriptions share an invoice. If several callers decide this at the same time, the first decision wins. */
export const consolidationDecider = defineDecider<Consolidation, ConsolidateInvoice, ConsolidationEvent>({
  category: 'consolidation',
  events: consolidationEvents,
  decide({ consolidation }, decided) {
    return decided ? [] : [{ type: 'InvoiceConsolidated', data: consolidation }];
  },
  evolve: (_, event) => event.data,
});

/** The customer, currency, kind and instant that all bills of a consolidated invoice share. */
export type ConsolidationKey = Pick<Consolidation, 'customerId' | 'currency' | 'kind' | 'billedAt'>;

/**
 * The id of the consolidated invoice. The id of a consolidated invoice is derived from the shared fields, so every process computes the
 * same id.
 */
export function consolidatedInvoiceId(
  workspaceId: string,
  { customerId, currency, kind, billedAt }: ConsolidationKey,
): string {
  return deriveId('inv', workspaceId, customerId, currency, kind, billedAt);
}
