import type { Instant } from '#libs/kernel/core';
import type { Amendment, Subscription } from './subscription.js';

/** What time brings to a subscription, in the order in which it happens where it falls on one instant. */
export type DueKind = 'cancellation' | 'pause' | 'amendment' | 'resumption' | 'boundary';

/** What becomes due next, and when; null for a subscription that has ended, or is paused until somebody resumes it. */
export function nextDue(subscription: Subscription): { at: Instant; kind: DueKind } | null {
  const { phase, period, cancelAt, cancelAtPeriodEnd, plannedPause, resumeAt } = subscription;
  if (phase === 'canceled') return null;
  const runs = phase !== 'paused';
  const candidates: [DueKind, Instant | null][] = [
    ['cancellation', runs || !cancelAtPeriodEnd ? cancelAt : null],
    ['pause', runs ? (plannedPause?.pauseAt ?? null) : null],
    ['amendment', nextAmendment(subscription)?.effectiveAt ?? null],
    ['resumption', runs ? null : resumeAt],
    ['boundary', runs ? period.end : null],
  ];
  return candidates.reduce<{ at: Instant; kind: DueKind } | null>(
    (first, [kind, at]) => (at !== null && (first === null || at < first.at) ? { at, kind } : first),
    null,
  );
}

/**
 * The scheduled change of terms that comes first; the newest of those for one instant. A pause has no period, so amendments for a period's
 * end wait. Only those for the very instant at which the pause began do not.
 */
export function nextAmendment({ amendments, pausedAt }: Subscription): Amendment | undefined {
  const waits = ({ atPeriodEnd, effectiveAt }: Amendment) =>
    atPeriodEnd && pausedAt !== null && effectiveAt > pausedAt;
  return amendments
    .filter((amendment) => amendment.status === 'scheduled' && !waits(amendment))
    .reduce<Amendment | undefined>(
      (first, one) => (first === undefined || one.effectiveAt <= first.effectiveAt ? one : first),
      undefined,
    );
}

/** Whether something has come that was due, but not been done. */
export function isDue(subscription: Subscription, now: Instant): boolean {
  const next = nextDue(subscription);
  return next !== null && next.at <= now;
}
