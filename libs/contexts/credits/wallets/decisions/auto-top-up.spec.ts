import { expect, it } from '@jest/globals';
import { changedAutoTopUp } from './auto-top-up.js';

const REQUIRED = { threshold: '10', credits: '50' };

it('gets the defaults of its settings the first time', () => {
  expect(changedAutoTopUp(REQUIRED, null)).toEqual({
    ...REQUIRED,
    unitPrice: null,
    maxPerMonth: 5,
    enabled: true,
  });
});

it('keeps the settings that a change does not name, and null clears the price', () => {
  const present = { ...REQUIRED, unitPrice: '0.02', maxPerMonth: 3, enabled: false };
  expect(changedAutoTopUp(REQUIRED, present)).toEqual(present);
  expect(changedAutoTopUp({ ...REQUIRED, enabled: true }, present)).toEqual({ ...present, enabled: true });
  expect(changedAutoTopUp({ ...REQUIRED, unitPrice: null }, present)).toEqual({
    ...present,
    unitPrice: null,
  });
});
