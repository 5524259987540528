import type { Instant } from '#libs/kernel/core';
import type { Amendment, Subscription } from './subscription.js';

/** The kinds of changes that become due. Changes that are due at the same instant are applied in the order of this list. */
export type DueChangeKind = 'cancellation' | 'pause' | 'amendment' | 'resumption' | 'boundary';

/**
 * Returns the next due change and its instant. Null for a subscription that has ended. Also null for a paused subscription without a
 * resumption, a cancellation or a change of terms at a fixed instant.
 */
export function nextDueChange(subscription: Subscription): { at: Instant; kind: DueChangeKind } | null {
  const { phase, period, cancelAt, cancelAtPeriodEnd, plannedPause, resumeAt } = subscription;
  if (phase === 'canceled') return null;
  const runs = phase !== 'paused';
  const candidates: [DueChangeKind, Instant | null][] = [
    ['cancellation', runs || !cancelAtPeriodEnd ? cancelAt : null],
    ['pause', runs ? (plannedPause?.pauseAt ?? null) : null],
    ['amendment', nextAmendment(subscription)?.effectiveAt ?? null],
    ['resumption', runs ? null : resumeAt],
    ['boundary', runs ? period.end : null],
  ];
  return candidates.reduce<{ at: Instant; kind: DueChangeKind } | null>(
    (first, [kind, at]) => (at !== null && (first === null || at < first.at) ? { at, kind } : first),
    null,
  );
}

/**
 * Returns the next scheduled change of terms. If several changes are scheduled for the same instant, the newest is returned. A paused
 * subscription has no period, so changes for the end of a period wait. Changes at the exact instant at which the pause began do not wait.
 */
export function nextAmendment(subscription: Subscription): Amendment | undefined {
  return amendmentsWithInstant(subscription).reduce<Amendment | undefined>(
    (first, one) => (first === undefined || one.effectiveAt <= first.effectiveAt ? one : first),
    undefined,
  );
}

/** Returns the scheduled changes of terms, without the changes that wait for the end of a pause. See {@link nextAmendment}. */
export function amendmentsWithInstant({ amendments, pausedAt }: Subscription): Amendment[] {
  const waits = ({ atPeriodEnd, effectiveAt }: Amendment) =>
    atPeriodEnd && pausedAt !== null && effectiveAt > pausedAt;
  return amendments.filter((amendment) => amendment.status === 'scheduled' && !waits(amendment));
}

/** Tells whether a change is due by `now` and not yet applied. */
export function isChangeDue(subscription: Subscription, now: Instant): boolean {
  const next = nextDueChange(subscription);
  return next !== null && next.at <= now;
}
