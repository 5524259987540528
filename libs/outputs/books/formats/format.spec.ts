import { describe, expect, it } from '@jest/globals';
import { ACCOUNT_CODES, CHART_OF_ACCOUNTS } from '#libs/contexts/ledger';
import { plainTextAccountName } from './format.js';

describe('the names of accounts', () => {
  it('have no subaccount below an account with postings, because Beancount asserts the balance of all of them together', () => {
    const names = ACCOUNT_CODES.flatMap((account) => {
      const parts = CHART_OF_ACCOUNTS[account].dividedBy ? [null, 'price_01J8XW'] : [null];
      return parts.map((detail) => plainTextAccountName({ account, detail }, () => undefined));
    });
    expect(names).toContain('Income:Revenue:Price-01J8XW');
    for (const name of names) expect(names.filter((other) => other.startsWith(`${name}:`))).toEqual([]);
  });

  it.each([
    ['API calls (v2)', 'Income:Revenue:API-calls-v2-price-1'],
    ['  über: 5%', 'Income:Revenue:Uber-5-price-1'],
    ['票', 'Income:Revenue:Price-1'],
    ['x'.repeat(60), `Income:Revenue:X${'x'.repeat(39)}-price-1`],
  ])('have the letters and digits of the name %s, and the id', (name, account) => {
    expect(plainTextAccountName({ account: 'revenue', detail: 'price_1' }, () => name)).toBe(account);
  });
});
