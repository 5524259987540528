import type { Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { ERASURE_STEPS, erasureEvents, type ErasureEvent, type ErasureStep } from './events.js';

/** The requested erasure of a customer's personal data, which may be unfinished. */
export interface Erasure {
  customerId: string;
  reason: string;
  /**
   * True if the request was accepted although the customer was not settled. The API refuses a request without `force` while the customer is
   * not settled. The step `settlement` ends what is still open, also without `force`.
   */
  force: boolean;
  requestedAt: Instant;
  /** The time at which each step was done. Steps that are not done are absent. */
  doneAt: Partial<Record<ErasureStep, Instant>>;
}

export type ErasureCommand = { customerId: string; at: Instant } & (
  | { type: 'RequestErasure'; reason: string; force: boolean }
  | { type: 'RecordErasureStep'; step: ErasureStep }
  | { type: 'RecordErasedData'; streams: string[]; entries: string[] }
);

export const erasureDecider = defineDecider<Erasure, ErasureCommand, ErasureEvent>({
  category: 'customerErasure',
  events: erasureEvents,
  decide(command, erasure) {
    const { customerId, at } = command;
    switch (command.type) {
      case 'RequestErasure': {
        const { reason, force } = command;
        // The first request starts the erasure. Later requests only read its progress.
        return erasure ? [] : [{ type: 'ErasureRequested', data: { customerId, at, reason, force } }];
      }
      case 'RecordErasureStep': {
        const { step } = command;
        return erasure?.doneAt[step] ? [] : [{ type: 'ErasureStepDone', data: { customerId, at, step } }];
      }
      case 'RecordErasedData': {
        const { streams, entries } = command;
        return [{ type: 'PersonalDataErased', data: { customerId, at, streams, entries } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'ErasureRequested': {
        const { at: requestedAt, ...request } = event.data;
        return { ...request, requestedAt, doneAt: {} };
      }
      case 'ErasureStepDone': {
        const erasure = requireCreated(state, event);
        return { ...erasure, doneAt: { ...erasure.doneAt, [event.data.step]: event.data.at } };
      }
      case 'PersonalDataErased':
        return requireCreated(state, event);
    }
  },
});

/** Returns the step after `step`. Undefined if `step` is the last one. Without `step`, returns the first step. */
export function nextErasureStep(step?: ErasureStep): ErasureStep | undefined {
  return step === undefined ? ERASURE_STEPS[0] : ERASURE_STEPS[ERASURE_STEPS.indexOf(step) + 1];
}

/** Converts an erasure to its form in the API. The API form of an erasure shows the status of each step. */
export function presentErasure({ customerId, reason, force, requestedAt, doneAt: done }: Erasure) {
  const next = ERASURE_STEPS.find((step) => done[step] === undefined);
  return {
    customerId,
    status: next === undefined ? ('completed' as const) : ('in_progress' as const),
    reason,
    force,
    requestedAt,
    completedAt: done.copies ?? null,
    steps: ERASURE_STEPS.map((step) => ({
      step,
      status: stepStatus(done[step] !== undefined, step === next),
      doneAt: done[step] ?? null,
    })),
  };
}

function stepStatus(isDone: boolean, isNext: boolean): 'done' | 'in_progress' | 'waiting' {
  if (isDone) return 'done';
  return isNext ? 'in_progress' : 'waiting';
}
