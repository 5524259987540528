import { describe, expect, it } from '@jest/globals';
import { ACCOUNT_CODES, CHART_OF_ACCOUNTS } from '#libs/contexts/ledger';
import { plainTextAccountName } from './format.js';

describe('the names of accounts', () => {
  it('have no subaccount below an account with postings, because Beancount asserts the balance of all of them together', () => {
    const names = ACCOUNT_CODES.flatMap((account) => {
      const parts = CHART_OF_ACCOUNTS[account].dividedBy ? [null, 'price_01J8XW'] : [null];
      return parts.map((detail) => plainTextAccountName({ account, detail }));
    });
    expect(names).toContain('Income:Revenue:Price-01J8XW');
    for (const name of names) expect(names.filter((other) => other.startsWith(`${name}:`))).toEqual([]);
  });
});
