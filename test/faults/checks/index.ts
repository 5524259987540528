import { checkDeliveries, checkTasks } from './background.ts';
import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { checkLedger } from './ledger.ts';
import { checkInvoices, checkPayments } from './money.ts';
import { checkAnswers, checkRecords, checkUsage } from './writes.ts';

export { gather, type Facts } from './facts.ts';
export type { Finding } from './finding.ts';
export { checkLog } from './log.ts';

/** What must be so of every workspace after every fault, by what it is about. */
export const CHECKS = {
  records: checkRecords,
  answers: checkAnswers,
  usage: checkUsage,
  invoices: checkInvoices,
  payments: checkPayments,
  ledger: checkLedger,
  deliveries: checkDeliveries,
  tasks: checkTasks,
} as const satisfies Record<string, (facts: Facts) => Finding[]>;

export type CheckName = keyof typeof CHECKS;

/** Everything that is not as it must be in one workspace. */
export function checkWorkspace(facts: Facts): Finding[] {
  return Object.values(CHECKS).flatMap((check) => check(facts));
}
