import { Conflict } from '#libs/kernel/core';
import type { ApprovalRequest } from '../requests/approval-request.js';
import type { ProposedAction } from '../requests/events.js';

type Effect = Pick<ProposedAction, 'amount' | 'currency' | 'effectiveAt' | 'terms'>;

/**
 * Refuses an action that would do something else than its approval request shows: with another amount, at another time, or on other terms.
 * Throws Conflict (`approval_outdated`), which names each difference. For example, a renewal moves the end of the period at which a
 * subscription was to be canceled. `proposed` is undefined if the action changes nothing.
 */
export function requireUnchanged(
  approved: Pick<ApprovalRequest, keyof Effect>,
  proposed: Effect | undefined,
): void {
  if (!proposed) return;
  const differences = differencesOf(approved, proposed);
  if (differences.length === 0) return;
  throw new Conflict(
    'approval_outdated',
    `The action would now do something else than the request shows: ${differences.join('; ')}. Send the action again to get a new request`,
  );
}

function differencesOf(approved: Effect, proposed: Effect): string[] {
  const differences: string[] = [];
  const compare = (what: string, before: string, now: string) => {
    if (before !== now) differences.push(`${what} was ${before} and is now ${now}`);
  };
  compare('the amount', amountText(approved), amountText(proposed));
  compare('the time of the effect', approved.effectiveAt ?? 'at once', proposed.effectiveAt ?? 'at once');
  // Requests of earlier versions stored no terms.
  if (approved.terms.length === 0) return differences;
  const names = new Set([...approved.terms, ...proposed.terms].map(({ name }) => name));
  for (const name of names) compare(name, termText(approved, name), termText(proposed, name));
  return differences;
}

function amountText({ amount, currency }: Effect): string {
  return amount === null ? 'none' : `${amount} ${currency}`;
}

function termText({ terms }: Effect, wanted: string): string {
  return terms.find(({ name }) => name === wanted)?.value ?? 'none';
}
