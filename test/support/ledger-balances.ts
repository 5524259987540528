import { Decimal } from '#libs/kernel/core';
import type { TestWorkspace } from './system.js';

/** The balance of each ledger account that is not zero, now or at the end of a date. A debit is above zero, a credit below. */
export async function ledgerBalances(
  { http }: TestWorkspace,
  date?: string,
): Promise<Record<string, number>> {
  const at = date === undefined ? '' : `?at=${date}`;
  const { body } = await http.get(`/v1/ledger/trial-balance${at}`).expect(200);
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
