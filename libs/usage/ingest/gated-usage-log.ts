import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, prepared, type Queryable } from '#libs/kernel/postgres';
import { AppendNotifier } from '../append-notifications.js';
import { usageCommits } from '../metrics.js';
import { ArrayLiteral } from './array-literal.js';
import { appendParameters, digestsOf } from './append-parameters.js';
import { CommitGroups, forAll, type Exceptions } from './commit-groups.js';
import { inCurrentPartitions } from './current-partitions.js';
import { isOutdated, OUTDATED, versionParameters } from './gate-versions.js';
import { LogNames, type NumberedRow } from './log-names.js';
import type { Refusal } from './rejection.js';
import { GateNotReady, UsageGate, type Charge, type ClaimedRow } from './usage-gate.js';

/** The id of the event that used the key first, or why the event was not stored. An outdated row must be prepared again. */
export type GatedOutcome = { readonly firstId: string } | Refusal | typeof OUTDATED;

/** A new row of a group. */
interface AdmittedRow {
  readonly numbered: NumberedRow<ClaimedRow>;
  readonly charges: readonly Charge[];
}

/**
 * The number of lanes. All events of one customer are in one lane, and a lane commits one group at a time. So commits of this process do not
 * wait for each other's wallets, and a busy customer delays only its own lane.
 */
const LANES = 2;
/** The maximum number of attempts of a commit. An attempt fails if another process stores the same key, or changes the same wallet. */
const MAX_ATTEMPTS = 20;
/** Another process stored the same key, or two transactions waited for each other's rows. */
const RETRIED: readonly (string | undefined)[] = ['23505', '40P01'];
const NONE: Exceptions<GatedOutcome> = new Map();

/** Writes events to the usage log that must pass a gate. The gate decides in the transaction that stores them. */
@Injectable()
export class GatedUsageLog {
  private readonly lanes: readonly CommitGroups<NumberedRow<ClaimedRow>, GatedOutcome>[];

  constructor(
    private readonly pool: Pool,
    private readonly names: LogNames,
    private readonly notifier: AppendNotifier,
    private readonly gate: UsageGate,
  ) {
    this.lanes = Array.from({ length: LANES }, () => new CommitGroups((rows) => this.write(rows), 1));
  }

  /**
   * Stores the rows that the gate admits, and resolves when they are on disk. Rows with repeated keys are not stored again. Rejects in the
   * same cases as {@link CommitGroups.append}; some of the rows may then have been stored.
   */
  async append(rows: readonly ClaimedRow[]): Promise<Exceptions<GatedOutcome>> {
    if (rows.length === 0) return NONE;
    const numbered = await this.names.numbered(rows);
    const indexes = this.lanes.map((): number[] => []);
    for (let i = 0; i < rows.length; i++) indexes[laneOf(rows[i]!.customerId)]!.push(i);
    const outcomes = new Map<number, GatedOutcome>();
    await Promise.all(
      indexes.map(async (own, lane) => {
        if (own.length === 0) return;
        const exceptions = await this.lanes[lane]!.append(own.map((i) => numbered[i]!));
        for (const [place, outcome] of exceptions) outcomes.set(own[place]!, outcome);
      }),
    );
    return outcomes;
  }

  private async write(rows: readonly NumberedRow<ClaimedRow>[]): Promise<Exceptions<GatedOutcome>> {
    const digests = digestsOf(rows);
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await inCurrentPartitions(this.pool, () =>
          inTransaction(this.pool, (tx) => this.store(tx, rows, digests)),
        );
        usageCommits.inc();
        for (const { stream } of rows) this.notifier.touch(stream);
        return outcomes;
      } catch (error) {
        if (isOutdated(error)) return forAll(rows, OUTDATED);
        if (attempt === MAX_ATTEMPTS) throw error;
        if (error instanceof GateNotReady) await error.prepare();
        else if (!RETRIED.includes((error as { code?: string }).code)) throw error;
      }
    }
  }

  private async store(
    tx: Queryable,
    rows: readonly NumberedRow<ClaimedRow>[],
    digests: readonly (string | undefined)[],
  ): Promise<Exceptions<GatedOutcome>> {
    const firstIds = await this.begin(tx, rows, digests);
    const outcomes = new Map<number, GatedOutcome>();
    const fresh: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      const firstId = firstIds.get(i);
      if (firstId === undefined) fresh.push(i);
      else outcomes.set(i, { firstId });
    }
    if (fresh.length === 0) return outcomes;
    const gate = await this.gate.open(
      tx,
      fresh.map((i) => rows[i]!.row),
    );
    const admitted: AdmittedRow[] = [];
    const idByDigest = new Map<string, string>();
    for (const i of fresh) {
      const [numbered, digest] = [rows[i]!, digests[i]];
      const firstId = digest === undefined ? undefined : idByDigest.get(digest);
      if (firstId !== undefined) {
        outcomes.set(i, { firstId });
        continue;
      }
      const refusal = gate.check(numbered.row);
      if (refusal) {
        outcomes.set(i, refusal);
        continue;
      }
      admitted.push({ numbered, charges: gate.take(numbered.row) });
      if (digest !== undefined) idByDigest.set(digest, numbered.row.id);
    }
    if (admitted.length > 0) await this.insert(tx, admitted);
    await gate.close();
    return outcomes;
  }

  /** Begins the append, and returns the events that have used the keys before, by the index of the row. */
  private async begin(
    tx: Queryable,
    rows: readonly NumberedRow[],
    digests: readonly (string | undefined)[],
  ): Promise<ReadonlyMap<number, string>> {
    const known = await tx.query<{ place: number; first_id: string }>(
      prepared('SELECT place, first_id FROM usage.begin_append_versioned($1, $2, $3)', [
        ...versionParameters(rows),
        `{${digests.map((digest) => digest ?? 'NULL').join(',')}}`,
      ]),
    );
    return new Map(known.rows.map(({ place, first_id }) => [place - 1, first_id]));
  }

  private async insert(tx: Queryable, admitted: readonly AdmittedRow[]): Promise<void> {
    const charges = new ArrayLiteral();
    for (const { charges: own } of admitted)
      if (own.length === 0) charges.addNull();
      else charges.add(JSON.stringify(own));
    const values = [...appendParameters(admitted.map(({ numbered }) => numbered)), charges.toString()];
    await tx.query(prepared('SELECT usage.append_charged($1, $2, $3, $4, $5, $6, $7, $8, $9)', values));
  }
}

/** The lane of a customer: a number that is the same for all of its events. */
function laneOf(customerId: string): number {
  let sum = 0;
  for (let i = 0; i < customerId.length; i++) sum = (sum * 31 + customerId.charCodeAt(i)) | 0;
  return (sum >>> 4) % LANES;
}
