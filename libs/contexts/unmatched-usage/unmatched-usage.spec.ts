import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { UnmatchedUsageReport, UsageReportEvent } from './events.js';
import { unmatchedUsageDecider, unpricedUsageDecider, type ReportUnmatchedUsage } from './unmatched-usage.js';

const report = (since: string): UnmatchedUsageReport => ({
  since,
  until: since,
  count: 1,
  warnings: [{ code: 'no_metric', reason: 'No metric …', eventName: 'cal', count: 1, eventIds: ['use_1'] }],
});
const [FIRST, SECOND] = [report('2026-01-01T00:00:00.000Z'), report('2026-01-01T00:20:00.000Z')];
const command = (of: UnmatchedUsageReport, at: string): ReportUnmatchedUsage => ({
  type: 'ReportUnmatchedUsage',
  at,
  report: of,
});
const reported = (of: UnmatchedUsageReport, at: string): UsageReportEvent<'UnmatchedUsageReported'> => ({
  type: 'UnmatchedUsageReported',
  data: { ...of, at },
});
const at = '2026-01-01T00:00:05.000Z';

describe('usage that is not counted', () => {
  it('is reported at once if nothing was reported before', () => {
    decide(unmatchedUsageDecider).given().when(command(FIRST, at)).then(reported(FIRST, at));
  });

  it('is reported again after an hour, and not before', () => {
    const { when } = decide(unmatchedUsageDecider).given(reported(FIRST, at));
    when(command(SECOND, '2026-01-01T01:00:04.999Z')).then();
    when(command(SECOND, '2026-01-01T01:00:05.000Z')).then(reported(SECOND, '2026-01-01T01:00:05.000Z'));
  });

  it('is reported once, also by a process that stopped before it recorded the report', () => {
    decide(unmatchedUsageDecider)
      .given(reported(FIRST, at))
      .when(command({ ...FIRST, count: 2 }, '2026-01-01T02:00:00.000Z'))
      .then();
  });

  it('is reported beside usage that nothing charges, each once an hour', () => {
    const unpriced = { ...FIRST, warnings: [{ ...FIRST.warnings[0]!, code: 'unpriced' as const }] };
    decide(unpricedUsageDecider)
      .given()
      .when(command(unpriced, at))
      .then({ type: 'UnpricedUsageReported', data: { ...unpriced, at } });
  });
});
