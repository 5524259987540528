import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { UsageRow } from './usage-row.js';

/**
 * The outcome of a row that was prepared with an outdated version of the gates' demands. The row was not stored, and must be prepared
 * again.
 */
export const OUTDATED_GATE_VERSION = Symbol('outdated');

const OUTDATED_CODE = 'CG001';

/** Tells whether an append failed because the gates' demands have changed since its rows were prepared. Then nothing was stored. */
export function isOutdated(error: unknown): boolean {
  return (error as { code?: string }).code === OUTDATED_CODE;
}

/** The versions by which rows were prepared, as the first two arguments of the appends. Rows without a version are not checked. */
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
 * Records that the gates' demands on the usage of a workspace have changed. The function must be called at the end of the transaction that
 * changes them, because all usage waits until that transaction ends. All usage that was stored before is visible afterwards, and all later
 * usage obeys the change.
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
