import { sumOf, type Decimal } from '#libs/kernel/core';
import type { AccountCode, LedgerTransaction } from '#libs/contexts/ledger';

/** The sum of what transactions post to these accounts, or to all if none is named. A debit is above zero. */
export function accountBalance(
  transactions: readonly LedgerTransaction[],
  ...accounts: AccountCode[]
): Decimal {
  const postings = transactions.flatMap((transaction) => transaction.postings);
  const counted =
    accounts.length === 0 ? postings : postings.filter(({ account }) => accounts.includes(account));
  return sumOf(counted.map(({ amount }) => amount));
}
