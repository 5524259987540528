import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { UsageRow } from './usage-row.js';

/**
 * The outcome of a row that was prepared by outdated conditions of the gates (`GateConditions`). An outdated row was not stored, and must
 * be prepared again.
 */
export const OUTDATED_GATE_VERSION = Symbol('outdated');

const OUTDATED_CODE = 'CG001';

/**
 * Tells whether an append failed because the gates' conditions have changed since its rows were prepared. In this case, no row was stored.
 */
export function isOutdated(error: unknown): boolean {
  return (error as { code?: string }).code === OUTDATED_CODE;
}

/**
 * Returns the ids of the rows' workspaces, and for each workspace the version of the conditions by which its rows were prepared. These two
 * lists are the first arguments of the append functions. The version is not checked for rows that have none.
 */
export function versionParameters(rows: readonly { readonly row: UsageRow }[]): [string[], string[]] {
  const seen = new Map<string, string>();
  for (const { row } of rows) {
    const { workspaceId, gateVersion } = row;
    if (gateVersion === undefined) continue;
    const before = seen.get(workspaceId);
    // Nearly all rows of a workspace have the same version, and converting is slow.
    if (gateVersion === before) continue;
    // Of two versions the older one is outdated for certain.
    if (before === undefined || BigInt(gateVersion) < BigInt(before)) seen.set(workspaceId, gateVersion);
  }
  return [[...seen.keys()], [...seen.values()]];
}

/**
 * Records that the conditions of the gates for a workspace's usage have changed. Call the function at the end of the transaction that
 * changes the conditions, because all usage waits from this call until the commit. After the call, the transaction sees all usage that was
 * stored before. All later usage is stored by the new conditions.
 */
export async function raiseGateVersion(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.query('SELECT usage.head()');
  await tx.query(
    preparedStatement(
      `INSERT INTO usage.gate_versions AS g (workspace_id, version) VALUES ($1, 1)
       ON CONFLICT (workspace_id) DO UPDATE SET version = g.version + 1`,
      [workspaceId],
    ),
  );
}
