import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { shareIncludedUnits } from './included.js';

const shared = (units: string, ...quantities: string[]) =>
  shareIncludedUnits(
    quantities.map((quantity) => new Decimal(quantity)),
    units,
  );

describe('included units that groups share', () => {
  it('are the whole usage of each group, if they are sufficient', () => {
    expect(shared('100', '30', '20')).toEqual(['30', '20']);
    expect(shared('50', '30', '20')).toEqual(['30', '20']);
    expect(shared('100', '0', '0')).toEqual(['0', '0']);
    expect(shared('100', '-5', '20')).toEqual(['0', '20']);
  });

  it('are divided in proportion, and the last unit goes to the largest remainder, the earlier of equals first', () => {
    expect(shared('100', '150', '100', '50')).toEqual(['50', '33', '17']);
    expect(shared('1', '1', '1')).toEqual(['1', '0']);
    expect(shared('2', '1', '1', '1')).toEqual(['1', '1', '0']);
  });
});
