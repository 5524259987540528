import { describe, expect, it } from '@jest/globals';
import { readRateGroups } from './rate-groups.js';

describe('the groups of a rate', () => {
  it('give costs to property values', () => {
    expect(
      readRateGroups([
        { when: { model: 'large', cached: false }, creditsPerUnit: 5 },
        { when: { model: 'small' }, creditsPerUnit: 0.25 },
      ]),
    ).toEqual([
      { when: { model: 'large', cached: 'false' }, creditsPerUnit: '5' },
      { when: { model: 'small' }, creditsPerUnit: '0.25' },
    ]);
  });

  it.each([
    [{}, 'groups: must be a list'],
    [Array(101).fill({}), 'groups: must be a list of at most 100 groups'],
    [['large'], 'groups[0]: must be an object'],
    [[{ when: { a: 'b' }, creditsPerUnit: '5' }], 'groups[0].creditsPerUnit: must be a number of at least 0'],
    [[{ when: { a: 'b' }, creditsPerUnit: -1 }], 'groups[0].creditsPerUnit: must be a number of at least 0'],
    [[{ when: {}, creditsPerUnit: 1 }], 'groups[0].when: must be an object of properties'],
    [[{ when: { a: 5 }, creditsPerUnit: 1 }], 'groups[0].when.a: must be text'],
    [[{ when: { a: 'b' }, creditsPerUnit: 1, per: 2 }], 'groups[0].per: is not a field of this request'],
  ])('name the wrong field of %j', (input, message) => {
    expect(() => readRateGroups(input)).toThrow(message);
  });
});
