import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { UsageLimitDetails, UsageLimitEvent } from './events.js';
import { usageLimitDecider } from './usage-limit.js';

const at = '2026-01-01T00:00:00.000Z';
const limitId = 'lim_1';
const details: UsageLimitDetails = {
  customerId: null,
  metricId: 'met_1',
  limit: '100',
  per: 'month',
  action: 'block',
  warnAt: ['0.8'],
};
const created: UsageLimitEvent = { type: 'UsageLimitCreated', data: { limitId, at, ...details } };
const deleted: UsageLimitEvent = { type: 'UsageLimitDeleted', data: { limitId, customerId: null, at } };
const create = (more: Partial<UsageLimitDetails> = {}) =>
  ({ type: 'CreateUsageLimit', at, limitId, details: { ...details, ...more } }) as const;
const update = (changes: Partial<UsageLimitDetails>) =>
  ({ type: 'UpdateUsageLimit', at, limitId, changes }) as const;

describe('a usage limit', () => {
  it('is created once', () => {
    decide(usageLimitDecider).given().when(create()).then(created);
    decide(usageLimitDecider).given(created).when(create()).then();
  });

  it('has its warnings in ascending order, each once', () => {
    decide(usageLimitDecider)
      .given()
      .when(create({ warnAt: ['0.9', '0.50', '0.5'] }))
      .then({ type: 'UsageLimitCreated', data: { limitId, at, ...details, warnAt: ['0.5', '0.9'] } });
  });

  it('refuses warnings that are not below the limit', () => {
    for (const warnAt of [['0'], ['1'], ['0.5', '-0.1'], ['80']])
      decide(usageLimitDecider).given().when(create({ warnAt })).refused('validation_failed');
  });

  it('is changed in the fields that differ', () => {
    const { when } = decide(usageLimitDecider).given(created);
    when(update({ limit: '200', action: 'block', warnAt: ['0.80'] })).then({
      type: 'UsageLimitUpdated',
      data: { limitId, customerId: null, at, limit: '200' },
    });
    when(update({ limit: '100' })).then();
    when(update({})).then();
  });

  it('is gone once it is deleted', () => {
    const remove = { type: 'DeleteUsageLimit', at, limitId } as const;
    decide(usageLimitDecider).given(created).when(remove).then(deleted);
    const { when } = decide(usageLimitDecider).given(created, deleted);
    when(remove).refused('usage_limit_not_found');
    when(update({ limit: '1' })).refused('usage_limit_not_found');
    decide(usageLimitDecider).given().when(remove).refused('usage_limit_not_found');
  });
});
