import { describe, expect, it } from '@jest/globals';
import type { ImportResult } from './import-usage.js';
import { describeImport } from './import-text.js';

const result = (change: Partial<ImportResult>): ImportResult => ({
  rowCount: 1,
  accepted: 1,
  repeated: 0,
  reusedKeys: 0,
  rejected: 0,
  examples: [],
  unmatched: 0,
  unpriced: 0,
  warnings: new Map(),
  unpricedWarnings: new Map(),
  ...change,
});

describe('the summary of an import', () => {
  it('is in the singular for one row', () => {
    const warnings = new Map([['No metric has it', 1]]);
    expect(describeImport(result({ unmatched: 1, warnings }), 0.25)).toEqual([
      '1 row read, 1 accepted (0 of them imported before), 0 rejected in 0.3 s',
      '1 of the accepted is stored and not counted; GET /v1/events?unmatched=true lists it',
      '  1: No metric has it',
    ]);
  });

  it('says which rows no price charges', () => {
    const unpricedWarnings = new Map([['Metric met_1 counts these events', 3]]);
    expect(describeImport(result({ unpriced: 3, unpricedWarnings }), 0.25).slice(1)).toEqual([
      '3 of the accepted counted, but charged by no price; GET /v1/events?unpriced=true lists them',
      '  3: Metric met_1 counts these events',
    ]);
  });

  it('is in the plural for more, and for none', () => {
    const examples = [{ row: 7, code: 'missing_field', reason: 'no time' }];
    const many = { rowCount: 1_203, accepted: 3, rejected: 1_200, examples, unmatched: 2 };
    expect(describeImport(result(many), 12)).toEqual([
      '1,203 rows read, 3 accepted (0 of them imported before), 1,200 rejected in 12.0 s',
      '  row 7: no time (missing_field)',
      '  … and 1,199 more',
      '2 of the accepted are stored and not counted; GET /v1/events?unmatched=true lists them',
    ]);
    expect(describeImport(result({ rowCount: 0, accepted: 0 }), 0)[0]).toMatch(/^0 rows read, 0 accepted/);
  });
});
