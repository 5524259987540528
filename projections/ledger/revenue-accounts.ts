import type { AccountCode } from '#libs/contexts/ledger';

/** The accounts for earned revenue and its reductions. The account `credit_adjustments` is not among them. */
export const EARNED_ACCOUNTS = ['revenue', 'breakage', 'refunds'] as const satisfies AccountCode[];

/** The accounts for amounts that were invoiced and are not earned yet. */
export const DEFERRED_ACCOUNTS = ['deferred_revenue', 'prepaid_credits'] as const satisfies AccountCode[];
