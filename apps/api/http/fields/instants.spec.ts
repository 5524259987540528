import { describe, expect, it } from '@jest/globals';
import type { InvalidRequest } from '#libs/kernel/core';
import { AuditQuery } from '../../audit/audit.dto.js';
import { LedgerEntriesQuery } from '../../ledger/ledger.dto.js';
import { EvaluateMetricBody } from '../../metrics/evaluate-metric.dto.js';
import { EventListQuery } from '../../usage/event-list.dto.js';
import { EventQueryBody } from '../../usage/event-query.dto.js';
import { createValidationPipe } from '../validation.js';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-02-01T00:00:00Z';

/** What is said of the fields of a request, as `field message`. */
async function refused(metatype: new () => object, given: object): Promise<string[]> {
  const answer = createValidationPipe().transform(given, { type: 'query', metatype });
  const error = await answer.then(
    () => undefined,
    (reason: InvalidRequest) => reason,
  );
  return (error?.details ?? []).map(({ field, message }) => `${field} ${message}`);
}

const aggregation = { type: 'count' };

describe('a stretch of time', () => {
  it.each([
    [LedgerEntriesQuery, 'since', 'until', 'must not be before', {}],
    [EventListQuery, 'since', 'until', 'must not be before', {}],
    [EventQueryBody, 'startTime', 'endTime', 'must be after', { eventName: 'call', aggregation }],
    [EvaluateMetricBody, 'startTime', 'endTime', 'must be after', { aggregation, events: [] }],
    [AuditQuery, 'since', 'until', 'must not be before', {}],
  ] as const)('of %p does not end before it begins', async (query, start, end, must, others) => {
    expect(await refused(query, { ...others, [start]: LATE, [end]: EARLY })).toEqual([
      `${end} ${must} ${start}, 2026-02-01T00:00:00.000Z`,
    ]);
    expect(await refused(query, { ...others, [start]: EARLY, [end]: LATE })).toEqual([]);
  });

  it('is empty if it ends as it begins and its end does not count', async () => {
    const body = { eventName: 'call', aggregation };
    expect(await refused(EventQueryBody, { ...body, startTime: EARLY, endTime: EARLY })).toEqual([
      'endTime must be after startTime, 2026-01-01T00:00:00.000Z; endTime itself does not count, so give a later time',
    ]);
    expect(await refused(AuditQuery, { since: EARLY, until: EARLY })).toEqual([]);
  });

  it.each([
    ['2026-01-31T23:00:00Z', '2026-01-31', true],
    ['2026-01-31', '2026-01-30T16:00:00Z', true],
    ['2026-01-31', '2026-01-29T23:00:00Z', false],
    ['2026-01-31', '2026-01-31', true],
    ['2026-01-31', '2026-01-30', false],
  ])(
    'of the ledger from %s until %s is one: %s, since a date begins at another time in each zone',
    async (since, until, isOne) => {
      expect(await refused(LedgerEntriesQuery, { since, until })).toHaveLength(isOne ? 0 : 1);
    },
  );

  it('may be open, and is not compared with what is no time', async () => {
    expect(await refused(LedgerEntriesQuery, { until: EARLY })).toEqual([]);
    expect(await refused(LedgerEntriesQuery, { since: 'then', until: EARLY })).toEqual([
      expect.stringMatching(/^since must be a date such as/),
    ]);
    expect(await refused(LedgerEntriesQuery, { since: EARLY, until: 'now' })).toEqual([
      expect.stringMatching(/^until must be a date such as/),
    ]);
  });
});
