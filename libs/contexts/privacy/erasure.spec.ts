import { describe, expect, it } from '@jest/globals';
import { erasureDecider, nextErasureStep, presentErasure } from './erasure.js';
import { ERASURE_STEPS, type ErasureEvent } from './events.js';
import { fold } from '#libs/kernel/domain';

const of = { customerId: 'ada', at: '2026-01-01T00:00:00.000Z' };
const requested: ErasureEvent = {
  type: 'ErasureRequested',
  data: { ...of, reason: 'Ticket 1', force: true },
};
const done = (step: (typeof ERASURE_STEPS)[number]): ErasureEvent => ({
  type: 'ErasureStepDone',
  data: { ...of, step },
});
const stateAfter = (...events: ErasureEvent[]) => fold(erasureDecider, events)!;

describe('the erasure of a customer', () => {
  it('is requested once, with the reason of the first request', () => {
    const again = { type: 'RequestErasure', ...of, reason: 'Ticket 2', force: false } as const;
    expect(erasureDecider.decide({ ...again, reason: 'Ticket 1', force: true }, undefined)).toEqual([
      requested,
    ]);
    expect(erasureDecider.decide(again, stateAfter(requested))).toEqual([]);
  });

  it('records each step once', () => {
    const command = { type: 'RecordErasureStep', ...of, step: 'settlement' } as const;
    expect(erasureDecider.decide(command, stateAfter(requested))).toEqual([done('settlement')]);
    expect(erasureDecider.decide(command, stateAfter(requested, done('settlement')))).toEqual([]);
  });

  it('goes through all steps in their order', () => {
    expect(ERASURE_STEPS.map((step) => nextErasureStep(step))).toEqual([
      ...ERASURE_STEPS.slice(1),
      undefined,
    ]);
    expect(nextErasureStep()).toBe('settlement');
  });

  it('tells which steps are done and which is under way', () => {
    expect(presentErasure(stateAfter(requested, done('settlement')))).toMatchObject({
      status: 'in_progress',
      completedAt: null,
      steps: [
        { status: 'done', doneAt: of.at },
        { status: 'in_progress' },
        ...Array<object>(4).fill({ status: 'waiting' }),
      ],
    });
    expect(presentErasure(stateAfter(requested, ...ERASURE_STEPS.map(done)))).toMatchObject({
      status: 'completed',
      completedAt: of.at,
    });
  });
});
