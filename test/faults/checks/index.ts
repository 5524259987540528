import type { World } from '../world.ts';
import { checkDeliveries, checkTasks } from './background.ts';
import { checkByCommands } from './commands.ts';
import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { checkLedger } from './ledger.ts';
import { checkLicenses } from './licenses.ts';
import { checkLimits } from './limits.ts';
import { checkLog } from './log.ts';
import { checkInvoices } from './money.ts';
import { checkOverage } from './overage.ts';
import { checkPayments } from './payments.ts';
import { checkPurchases } from './purchases.ts';
import { checkWallets } from './wallets.ts';
import { checkAnswers, checkRecords, checkUsage } from './writes.ts';

export { gather, type Facts } from './facts.ts';
export type { Finding } from './finding.ts';

/** What must be so of every workspace after every fault, by what it is about. */
export const CHECKS = {
  records: checkRecords,
  answers: checkAnswers,
  usage: checkUsage,
  invoices: checkInvoices,
  payments: checkPayments,
  wallets: checkWallets,
  overage: checkOverage,
  purchases: checkPurchases,
  limits: checkLimits,
  licenses: checkLicenses,
  ledger: checkLedger,
  deliveries: checkDeliveries,
  tasks: checkTasks,
} as const satisfies Record<string, (facts: Facts) => Finding[]>;

export type CheckName = keyof typeof CHECKS;

/** Everything that is not as it must be in one workspace. */
export function checkWorkspace(facts: Facts): Finding[] {
  return Object.values(CHECKS).flatMap((check) => check(facts));
}

/** What must be so of everything together after every fault. */
export const CHECKS_OF_ALL = {
  log: ({ pool, fleet }: World) => checkLog(pool, fleet.eventStoreUrl),
  commands: ({ fleet }: World) => checkByCommands(fleet),
} as const satisfies Record<string, (world: World) => Promise<Finding[]>>;

export type CheckOfAllName = keyof typeof CHECKS_OF_ALL;

/** Everything that is not as it must be in what belongs to no workspace alone. Call it when nothing writes. */
export async function checkAll(world: World): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of Object.values(CHECKS_OF_ALL)) findings.push(...(await check(world)));
  return findings;
}
