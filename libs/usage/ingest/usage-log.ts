import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { preparedStatement } from '#libs/kernel/postgres';
import { AppendNotifier } from '../append-notifications.js';
import { usageCommits } from '../metrics.js';
import { contentDigest, contentDigestsOf, keyDigestOf, parametersOfAppend } from './parameters-of-append.js';
import { GroupCommitter, sameOutcomeForAll, type OutcomesByUnstoredRow } from './group-committer.js';
import { appendInCurrentPartitions } from './current-partitions.js';
import { isOutdated, OUTDATED_GATE_VERSION, versionParameters } from './gate-versions.js';
import { LogNameNumbers, type NumberedRow } from './log-name-numbers.js';
import type { UsageRow } from './usage-row.js';

/**
 * The rows that were not stored as new rows. The key of an entry is the index of the row. The entry contains the id of the event that used
 * the row's idempotency key first. For a row that was not stored because it is outdated, the entry is {@link OUTDATED_GATE_VERSION}.
 */
export type UsageLogOutcomes = OutcomesByUnstoredRow<string | typeof OUTDATED_GATE_VERSION>;

/** The fields of a row with an idempotency key that identify its content. */
export type KeyedRow = Pick<
  UsageRow,
  'workspaceId' | 'idempotencyKey' | 'customerId' | 'eventName' | 'properties'
>;

/**
 * The maximum number of simultaneous commits to the usage log. Several simultaneous commits use the network, the inserts and the disk in
 * parallel. With more simultaneous commits, each group of rows would be too small.
 */
export const MAX_COMMITS_IN_FLIGHT = 4;
const NONE: UsageLogOutcomes = new Map();

/** Writes those events to the usage log that no gate has to admit. */
@Injectable()
export class UsageLog {
  private readonly groups: GroupCommitter<NumberedRow, string | typeof OUTDATED_GATE_VERSION>;

  constructor(
    private readonly pool: Pool,
    private readonly names: LogNameNumbers,
    private readonly notifier: AppendNotifier,
  ) {
    this.groups = new GroupCommitter((rows) => this.write(rows), MAX_COMMITS_IN_FLIGHT);
  }

  /**
   * Stores the rows, and resolves when the rows are on disk. Rows with repeated keys are not stored again, and outdated rows are not
   * stored. Rejects in the same cases as {@link GroupCommitter.append}.
   */
  async append(rows: readonly UsageRow[]): Promise<UsageLogOutcomes> {
    return rows.length === 0 ? NONE : this.groups.append(await this.names.numberRows(rows));
  }

  /**
   * Returns those of the repeated rows whose key was first used with another customer, name or properties. Rows whose first event an earlier
   * version stored are left out, because its content is not known.
   */
  async findReusedKeys<Row extends KeyedRow>(repeated: readonly Row[]): Promise<Row[]> {
    const { rows } = await this.pool.query<{ digest: string; content: string | null }>(
      preparedStatement(
        `SELECT replace(digest::text, '-', '') AS digest, replace(content::text, '-', '') AS content
         FROM usage.keys WHERE digest = ANY ($1::uuid[])`,
        [repeated.map((row) => keyDigestOf(row))],
      ),
    );
    const contents = new Map(rows.map(({ digest, content }) => [digest, content]));
    return repeated.filter((row) => {
      const first = contents.get(keyDigestOf(row)!);
      return typeof first === 'string' && first !== contentDigest(row);
    });
  }

  /** Returns those of the derived keys with which events of the workspace are stored; see {@link UsageRow.derivedKey}. */
  async findStoredDerivedKeys(workspaceId: string, derivedKeys: readonly string[]): Promise<Set<string>> {
    const keysByDigest = new Map(
      derivedKeys.map((derivedKey) => [
        keyDigestOf({ workspaceId, derivedKey, idempotencyKey: undefined })!,
        derivedKey,
      ]),
    );
    const { rows } = await this.pool.query<{ digest: string }>(
      preparedStatement(
        `SELECT replace(digest::text, '-', '') AS digest FROM usage.keys WHERE digest = ANY ($1::uuid[])`,
        [[...keysByDigest.keys()]],
      ),
    );
    return new Set(rows.map(({ digest }) => keysByDigest.get(digest)!));
  }

  private async write(rows: readonly NumberedRow[]): Promise<UsageLogOutcomes> {
    const values = [...versionParameters(rows), ...parametersOfAppend(rows), contentDigestsOf(rows)];
    try {
      const result = await appendInCurrentPartitions(this.pool, () =>
        this.pool.query<{ place: number; first_id: string }>({
          name: 'usage_append',
          text: 'SELECT place, first_id FROM usage.append_versioned($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
          values,
        }),
      );
      usageCommits.inc();
      for (const { stream } of rows) this.notifier.notifySoon(stream);
      return new Map(result.rows.map(({ place, first_id }) => [place - 1, first_id]));
    } catch (error) {
      if (isOutdated(error)) return sameOutcomeForAll(rows, OUTDATED_GATE_VERSION);
      throw error;
    }
  }
}
