import type { AccountCode } from '#libs/contexts/ledger';

/** The accounts of what was earned. */
export const EARNED_ACCOUNTS = ['revenue', 'breakage', 'refunds'] as const satisfies AccountCode[];

/** The accounts of what was invoiced and is not earned yet. */
export const DEFERRED_ACCOUNTS = ['deferred_revenue', 'prepaid_credits'] as const satisfies AccountCode[];
