import type { Instant } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { WalletReplay, type ReplayedBalance } from '#libs/contexts/credits';
import { isDateMoment, type ReportMoment } from '#libs/contexts/ledger';
import { exactNumberText } from './amounts.js';
import { withReadOnlyDatabase } from './database.js';
import type { WorkspaceLogSummary } from './workspace-log.js';

/** The parsed value of `--until`. At most one of `position` and `moment` is set. */
interface AskedMoment {
  readonly position: Position | undefined;
  readonly moment: ReportMoment | undefined;
}

/** Creates the replay of the wallets of a workspace, or of one of its customers, up to a moment. */
export function createWalletReplay({
  workspace,
  customer,
  moment,
}: {
  workspace: string;
  customer: string | undefined;
  moment: ReportMoment | undefined;
}): WalletReplay {
  return new WalletReplay(workspace, moment && instantOf(moment), customer);
}

/**
 * Returns the balances of wallets as lines of text, or an empty list if there is no wallet. With a database, the text shows the balances
 * that the API returned at the moment. Without a database, usage is missing if no event had recorded it by that moment, and the text says
 * so.
 */
export async function replayedWalletsText(
  wallets: WalletReplay,
  { workspace, position, moment }: AskedMoment & { workspace: string },
  { latestWorkspaceInstant: latestInstant, latestRecordedAt, isSandbox }: WorkspaceLogSummary,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  if (wallets.isEmpty) return [];
  return withReadOnlyDatabase(env, 'replay', async (pool) => {
    const wanted = position === undefined ? moment && instantOf(moment) : latestInstant;
    if (pool === undefined) {
      const at = wanted ?? latestInstant;
      return walletsText(wallets.balancesFromEvents(at), at, [
        'DATABASE_URL is not set, so usage that no event had recorded by then is not included',
      ]);
    }
    if (position !== undefined)
      return walletsText(
        await wallets.pastBalances(pool, latestInstant, latestRecordedAt, undefined),
        latestInstant,
      );
    const clock = await new WorkspaceClock(pool).read(workspace);
    if (wanted !== undefined && wanted < clock.now)
      return walletsText(
        await wallets.pastBalances(pool, wanted, wanted, isSandbox ? clock : undefined),
        wanted,
      );
    // Only a sandbox accepts a time that its clock has not reached yet.
    const at = isSandbox && wanted !== undefined ? wanted : clock.now;
    return walletsText(await wallets.currentBalances(pool, at), at);
  });
}

/** Wallets have no time zone, so a date ends at midnight in UTC. */
function instantOf(moment: ReportMoment): Instant {
  return isDateMoment(moment) ? `${moment}T23:59:59.999Z` : moment;
}

function walletsText(balances: readonly ReplayedBalance[], at: Instant, notices: string[] = []): string[] {
  if (balances.length === 0) return [];
  const rows = [
    ['customer', 'credit type', 'credits'],
    ...balances.map(({ customerId, creditType, balance }) => [
      customerId,
      creditType,
      exactNumberText(balance),
    ]),
  ] as [string, string, string][];
  const [first, second, third] = [0, 1, 2].map((index) => Math.max(...rows.map((row) => row[index]!.length)));
  return [
    `\nWallets at ${at}`,
    ...notices,
    ...rows.map(
      ([customer, type, credits]) =>
        `${customer.padEnd(first!)}  ${type.padEnd(second!)}  ${credits.padStart(third!)}`,
    ),
  ];
}
