import { expect, it } from '@jest/globals';
import { initialState } from './payment-retry-settings.js';
import { proposedWriteOffs } from './proposed-write-offs.js';

const writingOff = { ...initialState, whenExhausted: 'mark_uncollectible' } as const;
const off = { enabled: false } as const;

it.each([
  ['to write off', initialState, writingOff, true],
  ['to retry, with the write-off set before', { ...writingOff, ...off }, writingOff, true],
  ['to write off without retries', initialState, { ...writingOff, ...off }, false],
  ['of the intervals beside the write-off', writingOff, { ...writingOff, intervalsDays: [1] }, false],
  ['to leave open', writingOff, initialState, false],
])('a change %s: %#', (_, before, after, needsApproval) => {
  const proposed = proposedWriteOffs('acc_1', before, after, { changes: {} });
  expect(proposed !== undefined).toBe(needsApproval);
});
