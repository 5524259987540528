import { checkDeliveries, checkTasks } from './background.js';
import type { Facts } from './facts.js';
import type { Finding } from './finding.js';
import { checkInvoices, checkPayments } from './money.js';
import { checkAnswers, checkRecords, checkUsage } from './writes.js';

export { gather, type Facts } from './facts.js';
export type { Finding } from './finding.js';
export { checkLog } from './log.js';

/** What must be so of every workspace after every fault, by what it is about. */
export const CHECKS = {
  records: checkRecords,
  answers: checkAnswers,
  usage: checkUsage,
  invoices: checkInvoices,
  payments: checkPayments,
  deliveries: checkDeliveries,
  tasks: checkTasks,
} as const satisfies Record<string, (facts: Facts) => Finding[]>;

export type CheckName = keyof typeof CHECKS;

/** Everything that is not as it must be in one workspace. */
export function checkWorkspace(facts: Facts): Finding[] {
  return Object.values(CHECKS).flatMap((check) => check(facts));
}
