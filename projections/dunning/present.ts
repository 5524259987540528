import { presentDunningStep } from '#libs/contexts/dunning';
import { jsonNumber } from '#libs/kernel/core';
import type { DunningProcessRow } from './dunning-process-row.js';

/** A process as the API shows it. The state of its mail is not in the read model: `statusOf` tells it, null if the mail is not kept. */
export function presentDunningProcess<Status extends string>(
  row: DunningProcessRow,
  statusOf: (mailId: string) => Status | null,
) {
  return {
    id: row.processId,
    customerId: row.customerId,
    currency: row.currency,
    status: row.status,
    policy: { id: row.policyId, name: row.policyName },
    invoiceIds: [...row.invoiceIds],
    startedAt: row.startedAt,
    nextStepAt: row.nextStepAt,
    endedAt: row.endedAt,
    steps: row.steps.map((step, at) => {
      const taken = row.taken[at];
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
