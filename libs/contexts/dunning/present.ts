import { jsonNumber } from '#libs/kernel/core';
import type { OverdueDebt } from './debt.js';
import type { DunningPolicyWithUpdateTime } from './policies/dunning-policies.js';
import type { DunningStep } from './policies/events.js';

/** A dunning policy as the API shows it. */
export function presentDunningPolicy(
  id: string,
  { name, enabled, steps, updatedAt }: DunningPolicyWithUpdateTime,
) {
  return { id, name, enabled, steps: steps.map(presentDunningStep), updatedAt };
}

/** A step of a policy as the API shows it. */
export function presentDunningStep({ afterDays, channel, template, subscription }: DunningStep) {
  return { afterDays, channel, template, subscription };
}

/**
 * A dunning process as the API shows it. `statusOf` returns the status of a mail, or null if the mail is not stored. Mail is not stored if
 * it was never written, for example because the customer has no address, or if it was removed. Without `statusOf`, all statuses are null.
 */
export function presentDunningProcess<Status extends string>(
  process: OverdueDebt,
  statusOf: (mailId: string) => Status | null = () => null,
) {
  return {
    id: process.processId,
    customerId: process.customerId,
    currency: process.currency,
    status: process.status,
    policy: { id: process.policyId, name: process.policyName },
    invoiceIds: [...process.invoiceIds],
    startedAt: process.startedAt,
    nextStepAt: process.nextStepAt,
    endedAt: process.endedAt,
    steps: process.steps.map((step, at) => {
      const taken = process.taken.findLast((one) => one.step === at + 1);
      return {
        ...presentDunningStep(step),
        takenAt: taken?.at ?? null,
        amount: taken ? jsonNumber(taken.amount) : null,
        invoiceIds: [...(taken?.invoiceIds ?? [])],
        emailId: taken?.mailId ?? null,
        emailStatus: taken ? statusOf(taken.mailId) : null,
      };
    }),
  };
}
