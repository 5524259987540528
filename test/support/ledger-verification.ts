import { verifyLedger, type LedgerVerification } from '#apps/cli';
import type { SettingsWithServerUrls } from '../../apps/cli/start/running-instance.ts';
import type { System } from './system.ts';

/** What `countinghouse ledger verify` finds in the system, in words, and what it looked at. */
export async function verificationOf(system: System): Promise<LedgerVerification & { found: string[] }> {
  const settings = { ...system.settings, eventStoreUrl: system.node.url } as SettingsWithServerUrls;
  const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
  const found: string[] = [];
  const verified = await verifyLedger(
    settings,
    ({ subject, problem }) => found.push(`${subject}: ${problem}`),
    quiet,
  );
  return { ...verified, found };
}
