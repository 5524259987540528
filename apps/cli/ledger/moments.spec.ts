import { expect, it } from '@jest/globals';
import { parsePeriod } from './moments.js';

it('refuses an empty period, and says how to name one day', () => {
  expect(() => parsePeriod({ from: '2026-02-28', to: '2026-02-28' })).toThrow(
    '--to 2026-02-28 must come after --from 2026-02-28, because the end itself does not count; for this day alone, give --to 2026-03-01',
  );
  const instant = '2026-05-01T00:00:00.000Z';
  expect(() => parsePeriod({ from: instant, to: instant })).toThrow(
    'because the end itself does not count; give a later time',
  );
  expect(() => parsePeriod({ from: '2026-05-02', to: '2026-05-01' })).toThrow(
    /^--to 2026-05-01 must come after --from 2026-05-02$/,
  );
});
