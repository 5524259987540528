import { deriveId } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { consolidationEvents, type Consolidation, type ConsolidationEvent } from './events.js';

/** The command that stores which subscriptions share an invoice. */
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
 * The id of the consolidated invoice of these bills. It is derived from the workspace's id and the fields of the key, so every process
 * computes the same id.
 */
export function consolidatedInvoiceId(
  workspaceId: string,
  { customerId, currency, kind, billedAt }: ConsolidationKey,
): string {
  return deriveId('inv', workspaceId, customerId, currency, kind, billedAt);
}
