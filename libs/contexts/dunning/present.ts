import type { ChangedPolicy } from './policies/dunning-policies.js';
import type { DunningStep } from './policies/events.js';

/** A dunning policy as the API shows it. */
export function presentDunningPolicy(id: string, { name, enabled, steps, updatedAt }: ChangedPolicy) {
  return { id, name, enabled, steps: steps.map(presentDunningStep), updatedAt };
}

/** A step of a policy as the API shows it. */
export function presentDunningStep({ afterDays, channel, template, subscription }: DunningStep) {
  return { afterDays, channel, template, subscription };
}
