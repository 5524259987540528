/** The kind of an account. An `asset` is owned, a `liability` is owed, an `income` is earned, an `expense` is spent. */
export type AccountType = 'asset' | 'liability' | 'income' | 'expense';

interface AccountDefinition {
  /** The name that people see. */
  readonly name: string;
  readonly type: AccountType;
  /** True if the account has a separate balance for each price. */
  readonly byPrice: boolean;
}

const defineAccount = (name: string, type: AccountType, byPrice = false): AccountDefinition => ({
  name,
  type,
  byPrice,
});

/** The chart of accounts, in the order of a trial balance. */
export const CHART_OF_ACCOUNTS = {
  cash: defineAccount('Cash', 'asset'),
  accounts_receivable: defineAccount('Accounts receivable', 'asset'),
  deferred_revenue: defineAccount('Deferred revenue', 'liability', true),
  customer_credit: defineAccount('Customer credit', 'liability'),
  prepaid_credits: defineAccount('Prepaid credits', 'liability'),
  tax_payable: defineAccount('Tax payable', 'liability'),
  revenue: defineAccount('Revenue', 'income', true),
  breakage: defineAccount('Breakage', 'income'),
  refunds: defineAccount('Refunds', 'income'),
  credit_adjustments: defineAccount('Credit adjustments', 'income'),
  bad_debt: defineAccount('Bad debt', 'expense'),
  /** This account must stay empty. Every amount is rounded only once, when it is computed, so no rounding difference remains. */
  rounding: defineAccount('Rounding', 'expense'),
} as const satisfies Record<string, AccountDefinition>;

export type AccountCode = keyof typeof CHART_OF_ACCOUNTS;

export const ACCOUNT_CODES = Object.keys(CHART_OF_ACCOUNTS) as [AccountCode, ...AccountCode[]];

/** An account, or the part of an account that belongs to one price. */
export interface AccountKey {
  readonly account: AccountCode;
  /** Null for an account without separate balances by price. */
  readonly priceId: string | null;
}

/** The key as one string, such as `cash` or `revenue:price_1`. */
export function accountKeyText({ account: code, priceId }: AccountKey): string {
  return priceId === null ? code : `${code}:${priceId}`;
}
