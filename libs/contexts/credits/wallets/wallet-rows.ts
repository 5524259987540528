import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { UsageDraw } from './events.js';
import {
  coveredCredits,
  sumCreditsByMetric,
  initialState,
  uncoveredCredits,
  subtractDraws,
  type Wallet,
  type WalletBlock,
  type WalletKey,
} from './wallet.js';

/** The key of a wallet's row. */
export interface WalletRowKey extends WalletKey {
  readonly workspaceId: string;
}

/** A wallet's row of the table `credits.wallets`. */
export interface WalletRow extends WalletRowKey {
  /** The state of the wallet after the event `revision` of its stream. */
  readonly state: Wallet;
  /** The revision of the last event of the wallet's stream that `state` includes. */
  readonly revision: bigint;
  /** The draws of usage that are neither in an event nor in `settling` yet. */
  readonly unsettled: readonly UsageDraw[];
  /**
   * The draws that are now being appended as one event. The draws in `settling` cover the usage log up to the position `settlingTo`. Null
   * if no draws are being appended.
   */
  readonly settling: readonly UsageDraw[] | null;
  /** The last position of the usage log that the draws in `settling` cover. Null if no draws are being appended. */
  readonly settlingTo: string | null;
  /** True if a command may have appended events that `state` does not include yet. */
  readonly changing: boolean;
  /** The version of the row, which grows with each change of the wallet's remaining credits. */
  readonly version: bigint;
  /**
   * The number of settlements of the wallet that have begun. A settlement appends the draws of a wallet as one event. A rebuild of the row
   * raises the number too.
   */
  readonly settlementCount: bigint;
}

type Counter = 'revision' | 'version' | 'settlementCount';
type Columns = Omit<WalletRow, Counter> & Readonly<Record<Counter, string>>;

const COLUMNS = `
  w.workspace_id AS "workspaceId", w.customer_id AS "customerId", w.credit_type AS "creditType", w.state, w.revision::text,
  w.unsettled, w.settling, w.settling_to::text AS "settlingTo", w.changing, w.version::text, w.span::text AS "settlementCount"`;
const OF_KEYS = `
  credits.wallets w JOIN unnest($1::text[], $2::text[], $3::text[]) AS k (workspace_id, customer_id, credit_type)
    ON w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type`;

/**
 * Returns the wallet as it is now, with all draws of stored usage. With `inTrial`, the draws that are not recorded yet are of a trial, so
 * that they have no overage to bill.
 */
export function currentWallet(row: WalletRow, inTrial = false): Wallet {
  const { state } = row;
  const draws = unrecordedDraws(row);
  return {
    ...state,
    blocks: currentBlocks(row),
    overage: sumCreditsByMetric([...state.overage, ...(inTrial ? [] : uncoveredCredits(draws))]),
    used: sumCreditsByMetric([...state.used, ...coveredCredits(draws)]),
  };
}

/** Returns the blocks of the wallet as they are now, with all draws of stored usage. */
export function currentBlocks(row: WalletRow): WalletBlock[] {
  return subtractDraws(row.state.blocks, unrecordedDraws(row));
}

/** Returns the draws of stored usage that no event records yet. */
export function unrecordedDraws({ settling, unsettled }: WalletRow): UsageDraw[] {
  return [...(settling ?? []), ...unsettled];
}

/** Returns the rows of these wallets. A wallet without a row has no events and no usage. */
export async function readRows(db: Queryable, keys: readonly WalletRowKey[]): Promise<WalletRow[]> {
  return rowsOf(
    await db.query<Columns>(preparedStatement(`SELECT ${COLUMNS} FROM ${OF_KEYS}`, columnsOf(keys))),
  );
}

/** Returns the rows of a customer's wallets, in the order of their credit types. */
export async function readRowsOfCustomer(
  db: Queryable,
  workspaceId: string,
  customerId: string,
): Promise<WalletRow[]> {
  return rowsOf(
    await db.query<Columns>(
      preparedStatement(
        `SELECT ${COLUMNS} FROM credits.wallets w WHERE w.workspace_id = $1 AND w.customer_id = $2 ORDER BY 3`,
        [workspaceId, customerId],
      ),
    ),
  );
}

/** Locks the rows of these wallets until the transaction ends, in the order of their keys, and returns those that exist. */
export async function lockRows(tx: Queryable, keys: readonly WalletRowKey[]): Promise<WalletRow[]> {
  return lockRowsWhere(tx, keys, 'true');
}

/**
 * Locks and returns rows like {@link lockRows}, but leaves out the rows that are marked as changing. Does not wait for processes that are
 * changing the wallets.
 */
export async function lockRowsNotChanging(
  tx: Queryable,
  keys: readonly WalletRowKey[],
): Promise<WalletRow[]> {
  return lockRowsWhere(tx, keys, 'NOT w.changing');
}

async function lockRowsWhere(
  tx: Queryable,
  keys: readonly WalletRowKey[],
  condition: string,
): Promise<WalletRow[]> {
  return rowsOf(
    await tx.query<Columns>(
      preparedStatement(
        `SELECT ${COLUMNS} FROM ${OF_KEYS} WHERE ${condition} ORDER BY 1, 2, 3 FOR UPDATE OF w`,
        columnsOf(keys),
      ),
    ),
  );
}

/** Adds an empty row for each of these wallets that has no row yet. */
export async function addMissingRows(tx: Queryable, keys: readonly WalletRowKey[]): Promise<void> {
  await tx.query(
    preparedStatement(
      `INSERT INTO credits.wallets (workspace_id, customer_id, credit_type, state)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
      [...columnsOf(keys), keys.map((key) => JSON.stringify(initialState(key)))],
    ),
  );
}

/** Saves the draws of usage since the last settlement of each of the locked wallets. */
export async function saveUnsettledDraws(
  tx: Queryable,
  draws: readonly (readonly [WalletRowKey, readonly UsageDraw[]])[],
): Promise<void> {
  await tx.query(
    preparedStatement(
      `UPDATE credits.wallets w SET unsettled = k.unsettled, unsettled_since = coalesce(w.unsettled_since, now()), version = w.version + 1
       FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) AS k (workspace_id, customer_id, credit_type, unsettled)
       WHERE w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type`,
      [...columnsOf(draws.map(([key]) => key)), draws.map(([, own]) => JSON.stringify(own))],
    ),
  );
}

/**
 * Marks a wallet as changing. Freezes the wallet's unsettled draws, that is, moves them to `settling`. If `settling` already has draws, the
 * unsettled draws stay. Usage of the wallet waits until the mark is removed.
 */
export async function markWalletChanging(
  db: Queryable,
  { workspaceId, customerId, creditType }: WalletRowKey,
): Promise<void> {
  const state = initialState({ customerId, creditType });
  const freezes = "w.settling IS NULL AND w.unsettled <> '[]'";
  await db.query(
    preparedStatement(
      `INSERT INTO credits.wallets AS w (workspace_id, customer_id, credit_type, state, changing, pending_since)
       VALUES ($1, $2, $3, $4, true, now())
       ON CONFLICT (workspace_id, customer_id, credit_type) DO UPDATE SET
         changing = true,
         pending_since = coalesce(w.pending_since, now()),
         settling = CASE WHEN ${freezes} THEN w.unsettled ELSE w.settling END,
         settling_to = CASE WHEN ${freezes} THEN nextval('usage.event_seq') ELSE w.settling_to END,
         unsettled = CASE WHEN ${freezes} THEN '[]' ELSE w.unsettled END,
         unsettled_since = CASE WHEN ${freezes} THEN NULL ELSE w.unsettled_since END,
         span = CASE WHEN ${freezes} THEN w.span + 1 ELSE w.span END`,
      [workspaceId, customerId, creditType, JSON.stringify(state)],
    ),
  );
}

/**
 * Freezes the unsettled draws of wallets that no command is changing, that is, moves them to `settling`. Returns the wallets. At most
 * `limit` wallets are chosen, those with the oldest draws. `settling_to` becomes the next position of the usage log. All stored usage of
 * the wallet is before the position `settling_to`, and all later usage is after it.
 */
export async function freezeUnsettledDraws(
  db: Queryable,
  { minAgeMillis, limit, workspaceId }: { minAgeMillis: number; limit: number; workspaceId?: string },
): Promise<WalletRow[]> {
  const ofWorkspace = workspaceId === undefined ? '' : 'AND workspace_id = $3';
  return rowsOf(
    await db.query<Columns>(
      preparedStatement(
        `UPDATE credits.wallets w
         SET settling = w.unsettled, settling_to = nextval('usage.event_seq'), unsettled = '[]', unsettled_since = NULL,
           span = w.span + 1, pending_since = now()
         FROM (
           SELECT workspace_id, customer_id, credit_type FROM credits.wallets
           WHERE unsettled_since <= now() - $1 * interval '1 millisecond' AND settling IS NULL AND NOT changing ${ofWorkspace}
           ORDER BY unsettled_since LIMIT $2 FOR UPDATE SKIP LOCKED
         ) k
         WHERE w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type
         RETURNING ${COLUMNS}`,
        [minAgeMillis, limit, ...(workspaceId === undefined ? [] : [workspaceId])],
      ),
    ),
  );
}

/** A wallet whose draws in `settling` were appended as an event. `state` and `revision` are those after the event. */
export interface SettledWallet {
  readonly row: WalletRow;
  readonly state: Wallet;
  readonly revision: bigint;
}

/** Stores the states of locked wallets after settlements. The row of a wallet that a command has changed meanwhile is left as it is. */
export async function saveSettledWallets(tx: Queryable, settled: readonly SettledWallet[]): Promise<void> {
  await tx.query(
    preparedStatement(
      `UPDATE credits.wallets w
       SET state = k.state, revision = k.revision, settling = NULL, settling_to = NULL,
         pending_since = CASE WHEN w.changing THEN w.pending_since END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::bigint[], $6::bigint[])
         AS k (workspace_id, customer_id, credit_type, state, revision, settling_to)
       WHERE w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type
         AND w.settling_to = k.settling_to AND w.revision < k.revision`,
      [
        ...columnsOf(settled.map(({ row }) => row)),
        settled.map(({ state }) => JSON.stringify(state)),
        settled.map(({ revision }) => String(revision)),
        settled.map(({ row }) => row.settlingTo),
      ],
    ),
  );
}

/** Stores a locked wallet's newest state, and empties `settling`. `changing` tells whether a command is still changing the wallet. */
export async function saveState(
  tx: Queryable,
  { workspaceId, customerId, creditType }: WalletRowKey,
  { state, revision, changing }: { state: Wallet; revision: bigint; changing: boolean },
): Promise<void> {
  await tx.query(
    preparedStatement(
      `UPDATE credits.wallets SET state = $4, revision = $5, settling = NULL, settling_to = NULL, changing = $6, version = version + 1,
         pending_since = CASE WHEN $6 THEN pending_since END
       WHERE workspace_id = $1 AND customer_id = $2 AND credit_type = $3`,
      [workspaceId, customerId, creditType, JSON.stringify(state), String(revision), changing],
    ),
  );
}

/**
 * Replaces a locked wallet's row by the given values, which were computed from its stream and the usage log. Removes the mark that the
 * wallet is changing.
 */
export async function replaceRow(
  tx: Queryable,
  { workspaceId, customerId, creditType }: WalletRowKey,
  {
    state,
    revision,
    settling,
    settlingTo,
    unsettled,
  }: Pick<WalletRow, 'state' | 'revision' | 'settling' | 'settlingTo' | 'unsettled'>,
): Promise<void> {
  await tx.query(
    preparedStatement(
      `UPDATE credits.wallets SET state = $4, revision = $5, settling = $6, settling_to = $7, unsettled = $8, changing = false,
         version = version + 1, span = span + 1,
         unsettled_since = CASE WHEN $8::jsonb <> '[]' THEN now() END, pending_since = CASE WHEN $7::bigint IS NOT NULL THEN now() END
       WHERE workspace_id = $1 AND customer_id = $2 AND credit_type = $3`,
      [
        workspaceId,
        customerId,
        creditType,
        JSON.stringify(state),
        String(revision),
        settling && JSON.stringify(settling),
        settlingTo,
        JSON.stringify(unsettled),
      ],
    ),
  );
}

/** Returns all wallets that have a row or an entry in the wallet ledger, of one workspace or of all workspaces. */
export async function readAllWalletKeys(
  db: Queryable,
  workspaceId: string | undefined,
): Promise<WalletRowKey[]> {
  const { rows } = await db.query<WalletRowKey>(
    `SELECT workspace_id AS "workspaceId", customer_id AS "customerId", credit_type AS "creditType" FROM (
       SELECT workspace_id, customer_id, credit_type FROM credits.wallets
       UNION SELECT workspace_id, customer_id, credit_type FROM read.wallet_ledger
     ) w WHERE $1::text IS NULL OR workspace_id = $1 ORDER BY 1, 2, 3`,
    [workspaceId ?? null],
  );
  return rows;
}

/** Returns wallets whose change or settlement was interrupted: it began at least `minAgeMillis` ago and has not ended. */
export async function readInterruptedWallets(
  db: Queryable,
  { minAgeMillis, limit, workspaceId }: { minAgeMillis: number; limit: number; workspaceId?: string },
): Promise<WalletRowKey[]> {
  const { rows } = await db.query<WalletRowKey>(
    preparedStatement(
      `SELECT workspace_id AS "workspaceId", customer_id AS "customerId", credit_type AS "creditType" FROM credits.wallets
       WHERE pending_since <= now() - $1 * interval '1 millisecond' ${workspaceId === undefined ? '' : 'AND workspace_id = $3'}
       ORDER BY pending_since LIMIT $2`,
      [minAgeMillis, limit, ...(workspaceId === undefined ? [] : [workspaceId])],
    ),
  );
  return rows;
}

/** Returns the revision of the first event of a command on a wallet. Returns undefined if the command never ran. */
export async function revisionOfCommand(
  tx: Queryable,
  { workspaceId, customerId, creditType }: WalletRowKey,
  commandId: string,
): Promise<bigint | undefined> {
  const { rows } = await tx.query<{ revision: string }>(
    preparedStatement(
      `SELECT revision::text FROM credits.commands
       WHERE workspace_id = $1 AND customer_id = $2 AND credit_type = $3 AND command_id = $4`,
      [workspaceId, customerId, creditType, commandId],
    ),
  );
  return rows[0] && BigInt(rows[0].revision);
}

/** Stores the ids of commands on a wallet, with the revisions of their first events. */
export async function addCommandIds(
  tx: Queryable,
  { workspaceId, customerId, creditType }: WalletRowKey,
  revisions: ReadonlyMap<string, bigint>,
): Promise<void> {
  if (revisions.size === 0) return;
  await tx.query(
    preparedStatement(
      `INSERT INTO credits.commands (workspace_id, customer_id, credit_type, command_id, revision)
       SELECT $1, $2, $3, * FROM unnest($4::text[], $5::bigint[]) ON CONFLICT DO NOTHING`,
      [workspaceId, customerId, creditType, [...revisions.keys()], [...revisions.values()].map(String)],
    ),
  );
}

function columnsOf(keys: readonly WalletRowKey[]): [string[], string[], string[]] {
  return [
    keys.map(({ workspaceId }) => workspaceId),
    keys.map(({ customerId }) => customerId),
    keys.map(({ creditType }) => creditType),
  ];
}

function rowsOf({ rows }: { rows: Columns[] }): WalletRow[] {
  return rows.map((row) => ({
    ...row,
    revision: BigInt(row.revision),
    version: BigInt(row.version),
    settlementCount: BigInt(row.settlementCount),
  }));
}
