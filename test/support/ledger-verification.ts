import type { LedgerDifference, LedgerVerification } from '#libs/outputs/books';
import { verifyLedger } from '#apps/saga';
import type { System } from './system.ts';

/** What `countinghouse ledger verify` finds in the system, in words, and what it looked at. */
export async function verificationOf(system: System): Promise<LedgerVerification & { found: string[] }> {
  const { differences, ...verified } = await ledgerDifferences(system);
  return { ...verified, found: differences.map(({ subject, problem }) => `${subject}: ${problem}`) };
}

/** What a verification of the ledger finds in the system, of all workspaces or of one. */
export async function ledgerDifferences(
  system: System,
  workspaceId?: string,
): Promise<LedgerVerification & { differences: LedgerDifference[] }> {
  const differences: LedgerDifference[] = [];
  const verification = await verifyLedger(
    {
      databaseUrl: system.settings.databaseUrl!,
      eventStoreUrl: system.node.url,
      connections: 8,
      readsInThread: false,
      workspaceId,
    },
    {
      begin: () => undefined,
      reach: () => undefined,
      find: (difference) => void differences.push(difference),
    },
  );
  return { ...verification, differences };
}
