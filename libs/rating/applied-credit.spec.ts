import { expect, it } from '@jest/globals';
import { appliedBalance, appliedCredit } from './applied-credit.js';

it.each([
  ['30.00', '20.00', '20'],
  ['20.00', '30.00', '20'],
  ['20.00', '-5.00', '0'],
  ['0.00', '20.00', '0'],
])('a credit of %s pays, of %s that are owed, %s', (available, owed, paid) =>
  expect(appliedCredit(available, owed).toFixed()).toBe(paid),
);

it.each([
  ['a debt is collected beside the total', '-0.30', '10', '-0.3'],
  ['and also if it is larger than the total', '-0.30', '0.10', '-0.3'],
  ['an invoice over nothing collects no debt', '-0.30', '0', '0'],
  ['a balance above zero pays at most the total', '15', '10', '10'],
])('of a balance, %s', (_, balance, owed, applied) =>
  expect(appliedBalance(balance, owed).toFixed()).toBe(applied),
);
