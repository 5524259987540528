import { deriveId } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { consolidationEvents, type Consolidation, type ConsolidationEvent } from './events.js';

export interface ConsolidateInvoice {
  type: 'ConsolidateInvoice';
  consolidation: Consolidation;
}

/** Who is on an invoice is decided once: of those who look at the same moment, the first one says. */
export const consolidationDecider = defineDecider<Consolidation, ConsolidateInvoice, ConsolidationEvent>({
  category: 'consolidation',
  events: consolidationEvents,
  decide({ consolidation }, decided) {
    return decided ? [] : [{ type: 'InvoiceConsolidated', data: consolidation }];
  },
  evolve: (_, event) => event.data,
});

/** What falls due for a customer at an instant. */
export type ConsolidatedDue = Pick<Consolidation, 'customerId' | 'currency' | 'kind' | 'billedAt'>;

/** The invoice of what falls due so: whoever derives it comes to the same. */
export function consolidatedInvoiceId(
  workspaceId: string,
  { customerId, currency, kind, billedAt }: ConsolidatedDue,
): string {
  return deriveId('inv', workspaceId, customerId, currency, kind, billedAt);
}
