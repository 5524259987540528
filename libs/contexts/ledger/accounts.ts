/** The kind of an account: `asset` is owned, `liability` is owed, `income` is earned, `expense` is spent. */
export type AccountType = 'asset' | 'liability' | 'income' | 'expense';

interface AccountDefinition {
  /** The name that people see. */
  readonly name: string;
  readonly type: AccountType;
  /** Whether the account has a separate balance for each price. */
  readonly byPrice: boolean;
}

const account = (name: string, type: AccountType, byPrice = false): AccountDefinition => ({
  name,
  type,
  byPrice,
});

/** The chart of accounts, in the order of a trial balance. */
export const CHART = {
  cash: account('Cash', 'asset'),
  accounts_receivable: account('Accounts receivable', 'asset'),
  deferred_revenue: account('Deferred revenue', 'liability', true),
  customer_credit: account('Customer credit', 'liability'),
  prepaid_credits: account('Prepaid credits', 'liability'),
  tax_payable: account('Tax payable', 'liability'),
  revenue: account('Revenue', 'income', true),
  refunds: account('Refunds', 'income'),
  bad_debt: account('Bad debt', 'expense'),
  /** Must stay empty: every amount is rounded once, when it is computed, so no rounding difference remains. */
  rounding: account('Rounding', 'expense'),
} as const satisfies Record<string, AccountDefinition>;

export type AccountCode = keyof typeof CHART;

export const ACCOUNT_CODES = Object.keys(CHART) as [AccountCode, ...AccountCode[]];

/** An account, or the part of an account that belongs to one price. */
export interface AccountKey {
  readonly account: AccountCode;
  /** Null for an account without separate balances by price. */
  readonly priceId: string | null;
}

/** The key as one word: `cash`, `revenue:price_1`. */
export function accountText({ account: code, priceId }: AccountKey): string {
  return priceId === null ? code : `${code}:${priceId}`;
}
