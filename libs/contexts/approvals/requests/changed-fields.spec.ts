import { expect, it } from '@jest/globals';
import { changedFields } from './changed-fields.js';

it('lists the fields that differ with both values, in the order of the fields', () => {
  const before = { name: 'A', price: '1', note: null, unit: 'seat' };
  expect(changedFields(before, before)).toEqual([]);
  expect(changedFields(before, { unit: 'call', note: 'new', price: '1', name: 'B' })).toEqual([
    { field: 'name', before: 'A', after: 'B' },
    { field: 'note', before: null, after: 'new' },
    { field: 'unit', before: 'seat', after: 'call' },
  ]);
});
