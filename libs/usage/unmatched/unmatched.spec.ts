import { describe, expect, it } from '@jest/globals';
import { ExactNumber } from '#libs/kernel/core';
import type { Aggregation } from '../meters/definition.js';
import {
  countingRuleOf,
  uncountedReasonsOf,
  unpricedReasonsOf,
  type CountingRule,
} from './counting-rules.js';
import { UnmatchedTally } from './unmatched-tally.js';

const counter = (metricId: string, aggregation: Aggregation): CountingRule =>
  countingRuleOf({ metricId, version: 1, workspaceId: 'acc_1', eventName: 'call', aggregation });
const sum = counter('met_sum', { type: 'sum', property: 'n.units' });
const distinct = counter('met_distinct', { type: 'count_distinct', property: 'user' });
const europe = counter('met_eu', { type: 'count', filter: { region: ['eu', 1] } });
const all = counter('met_all', { type: 'count' });
const sql = counter('met_sql', { type: 'sql', sql: 'count(*)', filter: { region: 'eu' } });

describe('an event is counted', () => {
  it.each<[string, object, CountingRule[]]>([
    ['by a metric of its name', {}, [all]],
    ['with a number at the property', { n: { units: 1 } }, [sum]],
    ['with a number under the literal name', { 'n.units': '1.5' }, [sum]],
    ['with a number that a double does not hold', { n: { units: new ExactNumber('1e30') } }, [sum]],
    ['by one of several metrics that let it in', { region: 'eu' }, [europe, sum].slice(0, 1)],
    ['by a filter that compares numbers by their value', { region: '1' }, [europe]],
    ['by SQL that its filter lets it reach', { region: 'eu' }, [sql]],
  ])('%s', (_, properties, counters) => {
    expect(uncountedReasonsOf(properties as Record<string, unknown>, counters)).toEqual([]);
  });
});

describe('an event is not counted', () => {
  const missing = { code: 'property_missing', metricId: 'met_sum', property: 'n.units' };
  const notNumeric = { ...missing, code: 'property_not_numeric' };
  it.each<[string, object, CountingRule[], object[]]>([
    ['without a metric of its name', {}, [], [{ code: 'no_metric' }]],
    ['if no filter lets it in', { region: 'us' }, [europe, sql], [{ code: 'filtered_out' }]],
    ['without the property', { n: {} }, [sum], [missing]],
    ['with null at the property', { n: { units: null } }, [sum], [missing]],
    ['with text at it', { n: { units: 'a few' } }, [sum], [notNumeric]],
    [
      'with an inherited name as property',
      {},
      [counter('m', { type: 'sum', property: 'toString' })],
      [{ code: 'property_missing', metricId: 'm', property: 'toString' }],
    ],
    [
      'with an object that cannot be compared',
      { user: {} },
      [distinct],
      [{ code: 'property_not_scalar', metricId: 'met_distinct', property: 'user' }],
    ],
    ['by one metric, though by another', {}, [all, sum], [missing]],
  ])('%s', (_, properties, counters, findings) => {
    expect(uncountedReasonsOf(properties as Record<string, unknown>, counters)).toEqual(findings);
  });
});

describe('an event that metrics count is charged', () => {
  const unpriced = (metricId: string) => ({ code: 'unpriced', metricId });
  it.each<[string, object, CountingRule[], string[], object[]]>([
    ['if a metric that counts it is', { region: 'eu' }, [europe, all], ['met_eu'], []],
    ['to nobody if none is', { region: 'eu' }, [europe, all], [], [unpriced('met_eu'), unpriced('met_all')]],
    ['to nobody if the charged metric leaves it out', {}, [europe, all], ['met_eu'], [unpriced('met_all')]],
  ])('%s', (_, properties, counters, charged, findings) => {
    const isCharged = (metricId: string) => charged.includes(metricId);
    expect(unpricedReasonsOf(properties as Record<string, unknown>, counters, isCharged)).toEqual(findings);
  });
});

describe('the summary of uncounted events', () => {
  it('has one warning for each event name and reason, with the first ids', () => {
    const tally = new UnmatchedTally();
    for (let i = 0; i < 12; i++) tally.add('cal', `use_${i}`, [{ code: 'no_metric' }]);
    const { count, warnings } = tally.summary();
    expect(count).toBe(12);
    expect(warnings).toEqual([expect.objectContaining({ code: 'no_metric', eventName: 'cal', count: 12 })]);
    expect(warnings[0]!.eventIds).toEqual(Array.from({ length: 10 }, (_, i) => `use_${i}`));
  });

  it('is limited for any number of names, and counts all events', () => {
    const tally = new UnmatchedTally();
    for (let i = 0; i < 1_000; i++) tally.add(`name-${i}`, `use_${i}`, [{ code: 'no_metric' }]);
    const { count, warnings } = tally.summary();
    expect([count, warnings.length]).toEqual([1_000, 50]);
  });

  it('is the same when it is summed from several tallies', () => {
    const [whole, first, second] = [new UnmatchedTally(), new UnmatchedTally(), new UnmatchedTally()];
    for (let i = 0; i < 40; i++) {
      const [name, id] = [`name-${i % 7}`, `use_${i}`];
      for (const tally of [whole, i < 20 ? first : second]) tally.add(name, id, [{ code: 'no_metric' }]);
    }
    first.addAll(second.summary());
    expect(first.summary()).toEqual(whole.summary());
  });
});
