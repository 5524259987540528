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
    [LedgerEntriesQuery, 'from', 'to', 'must be after', {}],
    [EventListQuery, 'start_time', 'end_time', 'must be after', {}],
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
    expect(await refused(LedgerEntriesQuery, { from: EARLY, to: EARLY })).toHaveLength(1);
    expect(await refused(AuditQuery, { since: EARLY, until: EARLY })).toEqual([]);
  });

  it('may be open, and is not compared with what is no time', async () => {
    expect(await refused(LedgerEntriesQuery, { to: EARLY })).toEqual([]);
    expect(await refused(LedgerEntriesQuery, { from: 'then', to: EARLY })).toEqual([
      expect.stringMatching(/^from must be a date such as/),
    ]);
    expect(await refused(LedgerEntriesQuery, { from: EARLY, to: 'now' })).toEqual([
      expect.stringMatching(/^to must be a date such as/),
    ]);
  });
});
