/** The kind of an account. An `asset` is owned, a `liability` is owed, an `income` is earned, an `expense` is spent. */
export type AccountType = 'asset' | 'liability' | 'income' | 'expense';

/**
 * The ways to divide an account: by price or by tax rate. If an account is divided, each price or each tax rate has a balance of its own.
 */
export type AccountDivision = 'price' | 'tax rate';

interface AccountDefinition {
  /** The account's number in the chart of accounts, such as `1000`. */
  readonly number: string;
  /** The name that people see. */
  readonly name: string;
  readonly type: AccountType;
  /**
   * `price`: each price has a balance of its own. `tax rate`: each tax rate has a balance of its own. Null if the account is not divided,
   * so that it has one balance in each currency.
   */
  readonly dividedBy: AccountDivision | null;
}

const defineAccount = (
  number: string,
  name: string,
  type: AccountType,
  dividedBy: AccountDivision | null = null,
): AccountDefinition => ({ number, name, type, dividedBy });

/** The chart of accounts, in the order of a trial balance. */
export const CHART_OF_ACCOUNTS = {
  cash: defineAccount('1000', 'Cash', 'asset'),
  accounts_receivable: defineAccount('1100', 'Accounts receivable', 'asset'),
  unbilled_receivables: defineAccount('1200', 'Unbilled receivables', 'asset', 'price'),
  deferred_revenue: defineAccount('2000', 'Deferred revenue', 'liability', 'price'),
  customer_credit: defineAccount('2100', 'Customer credit', 'liability'),
  prepaid_credits: defineAccount('2200', 'Prepaid credits', 'liability'),
  tax_payable: defineAccount('2300', 'Tax payable', 'liability', 'tax rate'),
  revenue: defineAccount('4000', 'Revenue', 'income', 'price'),
  breakage: defineAccount('4100', 'Breakage', 'income'),
  refunds: defineAccount('4200', 'Refunds', 'income'),
  credit_adjustments: defineAccount('4300', 'Credit adjustments', 'income'),
  bad_debt: defineAccount('6000', 'Bad debt', 'expense'),
  /**
   * The rounding account must stay empty. Every amount is rounded only once, when it is computed, so no rounding difference remains for
   * this account.
   */
  rounding: defineAccount('6900', 'Rounding', 'expense'),
} as const satisfies Record<string, AccountDefinition>;

export type AccountCode = keyof typeof CHART_OF_ACCOUNTS;

export const ACCOUNT_CODES = Object.keys(CHART_OF_ACCOUNTS) as [AccountCode, ...AccountCode[]];

/** An account, or the part of an account that belongs to one price or to one tax rate. */
export interface AccountKey {
  readonly account: AccountCode;
  /**
   * The id of the price or of the tax rate by which the account is divided. Null for an account that is not divided, and for amounts
   * without a price, such as lines of a manual invoice, prepaid credits and overage.
   */
  readonly detail: string | null;
}

/**
 * The price or the tax rate of an account key, as the fields of the API. At most one of the fields `priceId` and `taxRateId` is not null.
 */
export interface AccountDetailFields {
  readonly priceId: string | null;
  readonly taxRateId: string | null;
}

/** The account key as one string, such as `cash`, `revenue:price_1` or `tax_payable:txr_1`. */
export function accountKeyText({ account: code, detail }: AccountKey): string {
  return detail === null ? code : `${code}:${detail}`;
}

/** Returns the detail as `taxRateId` if the account is divided by tax rate, and as `priceId` if not. */
export function detailFieldsOf({ account, detail }: AccountKey): AccountDetailFields {
  const isTaxRate = CHART_OF_ACCOUNTS[account].dividedBy === 'tax rate';
  return isTaxRate ? { priceId: null, taxRateId: detail } : { priceId: detail, taxRateId: null };
}
