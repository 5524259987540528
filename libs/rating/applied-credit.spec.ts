import { expect, it } from '@jest/globals';
import { appliedCredit } from './applied-credit.js';

it.each([
  ['30.00', '20.00', '20'],
  ['20.00', '30.00', '20'],
  ['20.00', '-5.00', '0'],
  ['0.00', '20.00', '0'],
])('a credit of %s pays, of %s that are owed, %s', (available, owed, paid) =>
  expect(appliedCredit(available, owed).toFixed()).toBe(paid),
);
