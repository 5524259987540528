import { describe, expect, it } from '@jest/globals';
import { omit, pick } from './fields.js';

const plan: { name: string; days?: number; description?: string } = { name: 'Basic', days: undefined };

describe('the fields of an object', () => {
  it('are picked by their names, if the object has them', () => {
    expect(Object.entries(pick(plan, ['days', 'description']))).toEqual([['days', undefined]]);
  });

  it('are left out by their names', () => {
    expect(Object.entries(omit(plan, ['days', 'description']))).toEqual([['name', 'Basic']]);
    expect(plan).toHaveProperty('days');
  });
});
