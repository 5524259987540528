import { Decimal } from '#libs/kernel/core';
import type { TestWorkspace } from './system.js';

/** The balance of each ledger account that is not zero. A debit is above zero, a credit below. */
export async function ledgerBalances({ http }: TestWorkspace): Promise<Record<string, number>> {
  const { body } = await http.get('/v1/ledger/trial-balance').expect(200);
  const { currencies } = body as { currencies: { accounts: AccountLine[] }[] };
  const balances = new Map<string, Decimal>();
  for (const { account, debit, credit } of currencies.flatMap(({ accounts }) => accounts))
    balances.set(account, (balances.get(account) ?? new Decimal(0)).plus(debit).minus(credit));
  return Object.fromEntries(
    [...balances]
      .filter(([, balance]) => !balance.isZero())
      .map(([account, balance]) => [account, balance.toNumber()]),
  );
}

interface AccountLine {
  account: string;
  debit: number;
  credit: number;
}
