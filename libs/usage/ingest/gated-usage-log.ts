import { Unavailable } from '#libs/kernel/core';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { Backoff } from '#libs/kernel/system';
import { AppendNotifier } from '../append-notifications.js';
import { usageCommits } from '../metrics.js';
import { ArrayLiteralBuilder } from './array-literal-builder.js';
import { contentDigestsOf, parametersOfAppend, idempotencyKeyDigestsOf } from './parameters-of-append.js';
import { GroupCommitter, sameOutcomeForAll, type OutcomesByUnstoredRow } from './group-committer.js';
import { appendInCurrentPartitions } from './current-partitions.js';
import { isOutdated, OUTDATED_GATE_VERSION, versionParameters } from './gate-versions.js';
import { LogNameNumbers, type NumberedRow } from './log-name-numbers.js';
import { GatePreparations, type NotReadyOutcome } from './gate-preparations.js';
import { AttemptSkipper } from './attempt-skipper.js';
import type { EventRefusal } from './rejection.js';
import {
  GATE_CHANGED,
  GateNotReady,
  UsageGate,
  type CreditCharge,
  type ClaimingRow,
  type LockedClaims,
  type CachedClaims,
} from './usage-gate.js';

/**
 * The id of the event that used the row's idempotency key first, or the reason why the event was not stored. An outdated row must be
 * prepared again.
 */
export type GatedOutcome = { readonly firstId: string } | EventRefusal | typeof OUTDATED_GATE_VERSION;

/** The outcome of a row that a lane has tried to store. `NotReadyOutcome` if the gate must first be prepared for the row's customer. */
type LaneOutcome = GatedOutcome | NotReadyOutcome;

/** A new row of a group that the gate admitted. */
interface AdmittedRow {
  readonly numbered: NumberedRow<ClaimingRow>;
  readonly charges: readonly CreditCharge[];
}

/**
 * The number of lanes for decisions from cached data, and also the number of lanes for other decisions. A lane is a queue of commits. All
 * events of one customer use the same lane, and a lane commits one group at a time. Commits of this process therefore do not wait for each
 * other's wallet locks, and a busy customer delays only its own lane.
 */
const LANES = 2;
/** The maximum number of attempts to commit a group of usage rows. A commit fails if another process stores an event with the same key. */
const MAX_ATTEMPTS = 20;
const KEY_EXISTS = '23505';
const DEADLOCK = '40P01';
/** Errors after which a commit is repeated: another process stored the same key, or two transactions deadlocked. */
const RETRIED: readonly (string | undefined)[] = [KEY_EXISTS, DEADLOCK];
/** The errors after which a commit is repeated with locked claims instead of cached data: those of `RETRIED`, and outdated cached data. */
const RETRIED_WITH_LOCKS: readonly (string | undefined)[] = [...RETRIED, GATE_CHANGED];
const NONE: OutcomesByUnstoredRow<GatedOutcome> = new Map();
/** The rows that wait for a preparation of the gate. The keys are the indexes of the rows. */
type Waiting = ReadonlyMap<number, NotReadyOutcome>;

/** A group of rows that are committed together, with the digests of their keys. */
interface Group {
  readonly rows: readonly NumberedRow<ClaimingRow>[];
  readonly digests: readonly (string | undefined)[];
}

type Lane = GroupCommitter<NumberedRow<ClaimingRow>, LaneOutcome>;

/**
 * Writes those events to the usage log that a gate must admit. The gate decides in the transaction that stores the events. If possible, the
 * gate decides earlier from cached data, and the transaction only checks that this data is current. Events that are decided from cached
 * data have lanes of their own, so that other events do not slow them down. If the gate is not ready for a customer, the usage of that
 * customer leaves its lane until the gate is ready.
 */
@Injectable()
export class GatedUsageLog {
  private readonly lanes: { readonly caching: readonly Lane[]; readonly locking: readonly Lane[] };
  private readonly preparations = new GatePreparations();
  /** The maximum time that a request waits for preparations of the gate, in milliseconds. */
  protected readonly preparingMillis: number = 5_000;

  constructor(
    private readonly pool: Pool,
    private readonly names: LogNameNumbers,
    private readonly notifier: AppendNotifier,
    private readonly gate: UsageGate,
  ) {
    const lanes = (write: () => Lane) => Array.from({ length: LANES }, write);
    this.lanes = {
      caching: lanes(() => {
        const pauses = new AttemptSkipper();
        return new GroupCommitter((rows) => this.writeFromCache(groupOf(rows), pauses), 1);
      }),
      locking: lanes(() => new GroupCommitter((rows) => this.write(groupOf(rows)), 1)),
    };
  }

  /**
   * Stores the rows that the gate admits, and resolves when these rows are on disk. Rows with repeated keys are not stored again. Rejects
   * in the same cases as {@link GroupCommitter.append}, and if the gate is not prepared in time. If the promise rejects, some of the rows
   * may have been stored.
   */
  async append(rows: readonly ClaimingRow[]): Promise<OutcomesByUnstoredRow<GatedOutcome>> {
    if (rows.length === 0) return NONE;
    const numbered = await this.names.numberRows(rows);
    const outcomes = new Map<number, GatedOutcome>();
    const preparing = new Backoff(this.preparingMillis);
    let wanted = [...rows.keys()];
    for (;;) {
      const waiting = await this.appendReady(numbered, wanted, outcomes);
      if (waiting.size === 0) {
        await this.recordRefusals(rows, outcomes);
        return outcomes;
      }
      if (preparing.isOver || !(await this.preparations.wait([...waiting.values()], preparing.millisLeft)))
        throw gateNotReady();
      wanted = [...waiting.keys()].sort((a, b) => a - b);
    }
  }

  private async recordRefusals(
    rows: readonly ClaimingRow[],
    outcomes: ReadonlyMap<number, GatedOutcome>,
  ): Promise<void> {
    const refused = [...outcomes].flatMap(([i, outcome]) =>
      isRefusal(outcome) ? [{ row: rows[i]!, refusal: outcome }] : [],
    );
    if (refused.length > 0) await this.gate.recordRefusals(refused);
  }

  /**
   * Appends the wanted rows whose customers are ready, and sets their outcomes. Returns the preparations for which the remaining rows wait.
   */
  private async appendReady(
    rows: readonly NumberedRow<ClaimingRow>[],
    wanted: readonly number[],
    outcomes: Map<number, GatedOutcome>,
  ): Promise<Waiting> {
    const waiting = new Map<number, NotReadyOutcome>();
    const ready: number[] = [];
    for (const i of wanted) {
      const preparation = this.preparations.runningPreparationFor(rows[i]!.row);
      if (preparation) waiting.set(i, preparation);
      else ready.push(i);
    }
    await Promise.all(
      [...this.byLane(rows, ready)].map(async ([lane, own]) => {
        const differing = await lane.append(own.map((i) => rows[i]!));
        for (const [place, outcome] of differing)
          if (isNotReady(outcome)) waiting.set(own[place]!, outcome);
          else outcomes.set(own[place]!, outcome);
      }),
    );
    return waiting;
  }

  /** Returns the given indexes of rows, grouped by the lane of the row. */
  private byLane(
    rows: readonly NumberedRow<ClaimingRow>[],
    indexes: readonly number[],
  ): ReadonlyMap<Lane, readonly number[]> {
    const locking = new Set(
      indexes.flatMap((i) => (this.gate.canDecideFromCache(rows[i]!.row) ? [] : rows[i]!.row.customerId)),
    );
    return Map.groupBy(indexes, (i) => {
      const { customerId } = rows[i]!.row;
      const lanes = locking.has(customerId) ? this.lanes.locking : this.lanes.caching;
      return lanes[laneOf(customerId)]!;
    });
  }

  private async writeFromCache(
    group: Group,
    pauses: AttemptSkipper,
  ): Promise<OutcomesByUnstoredRow<LaneOutcome>> {
    if (pauses.shouldSkipAttempt()) return this.write(group);
    const claims = await this.gate.readCachedClaims(group.rows.map(({ row }) => row));
    if (!claims) return this.write(group);
    try {
      const outcomes = await this.storeFromCache(claims, group);
      pauses.recordSuccess();
      this.tell(group);
      return outcomes;
    } catch (error) {
      claims.onFailed();
      if (isOutdated(error)) return sameOutcomeForAll(group.rows, OUTDATED_GATE_VERSION);
      if (!RETRIED_WITH_LOCKS.includes((error as { code?: string }).code)) throw error;
      pauses.recordFailure();
      return this.write(group);
    }
  }

  private async storeFromCache(
    claims: CachedClaims,
    group: Group,
  ): Promise<OutcomesByUnstoredRow<GatedOutcome>> {
    const { outcomes, admitted } = admit(claims, group, NONE_KNOWN);
    const { name, values: ofGate } = claims.createWriteCall();
    const ofVersions = versionParameters(group.rows);
    const ofAppend = [
      ...chargedParameters(admitted),
      refusedDigests(group, outcomes),
      contentDigestsOf(admitted.map(({ numbered }) => numbered)),
    ];
    const parameters = (count: number, after: number) =>
      Array.from({ length: count }, (_, i) => `$${after + i + 1}`).join();
    const { rows } = await appendInCurrentPartitions(this.pool, () =>
      this.pool.query<{ answer: unknown }>(
        preparedStatement(
          // As other appends do, the statement takes the lock of the append before the locks of the gate. The events get their places in
          // the log last, so they come after all settlements that the gate has seen.
          `WITH begun AS MATERIALIZED (SELECT usage.require_gate_versions($1, $2)),
             gate AS MATERIALIZED (SELECT ${name}(${parameters(ofGate.length, 2)}) AS answer FROM begun)
           SELECT answer, usage.append_gated(${parameters(ofAppend.length, 2 + ofGate.length)}) FROM gate`,
          [...ofVersions, ...ofGate, ...ofAppend],
        ),
      ),
    );
    claims.onStored(rows[0]!.answer);
    return outcomes;
  }

  private async write(group: Group): Promise<OutcomesByUnstoredRow<LaneOutcome>> {
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await appendInCurrentPartitions(this.pool, () =>
          inTransaction(this.pool, (tx) => this.store(tx, group)),
        );
        this.tell(group);
        return outcomes;
      } catch (error) {
        if (isOutdated(error)) return sameOutcomeForAll(group.rows, OUTDATED_GATE_VERSION);
        if (error instanceof GateNotReady) return this.writeReady(group, error);
        if (attempt === MAX_ATTEMPTS || !RETRIED.includes((error as { code?: string }).code)) throw error;
      }
    }
  }

  /** Writes the rows of a group whose customers are ready. Begins to prepare the gate for the remaining customers. */
  private async writeReady(
    { rows, digests }: Group,
    { customers }: GateNotReady,
  ): Promise<OutcomesByUnstoredRow<LaneOutcome>> {
    const preparationOf = this.preparations.beginPreparations(customers);
    const outcomes = new Map<number, LaneOutcome>();
    const ready: number[] = [];
    for (const [i, { row }] of rows.entries()) {
      const preparation = preparationOf(row);
      if (preparation) outcomes.set(i, preparation);
      else ready.push(i);
    }
    if (outcomes.size === 0) throw new Error('A gate is not ready for customers without events in the group');
    if (ready.length === 0) return outcomes;
    const differing = await this.write({
      rows: ready.map((i) => rows[i]!),
      digests: ready.map((i) => digests[i]),
    });
    for (const [place, outcome] of differing) outcomes.set(ready[place]!, outcome);
    return outcomes;
  }

  private tell({ rows }: Group): void {
    usageCommits.inc();
    for (const { stream } of rows) this.notifier.notifySoon(stream);
  }

  private async store(tx: Queryable, group: Group): Promise<OutcomesByUnstoredRow<GatedOutcome>> {
    const { rows } = group;
    const known = await this.begin(tx, group);
    const fresh = rows.flatMap(({ row }, i) => (known.has(i) ? [] : [row]));
    if (fresh.length === 0) return new Map([...known].map(([i, firstId]) => [i, { firstId }]));
    const claims = await this.gate.lockClaims(tx, fresh);
    const { outcomes, admitted } = admit(claims, group, known);
    await requireUnknown(tx, refusedDigests(group, outcomes));
    if (admitted.length > 0)
      await tx.query(
        preparedStatement('SELECT usage.append_charged($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
          ...chargedParameters(admitted),
          contentDigestsOf(admitted.map(({ numbered }) => numbered)),
        ]),
      );
    await claims.writeDecisions();
    return outcomes;
  }

  /**
   * Begins the append. Returns an entry for each row whose idempotency key was used before: the index of the row, and the id of the stored
   * event that used the key first.
   */
  private async begin(tx: Queryable, { rows, digests }: Group): Promise<ReadonlyMap<number, string>> {
    const known = await tx.query<{ place: number; first_id: string }>(
      preparedStatement('SELECT place, first_id FROM usage.begin_append_versioned($1, $2, $3)', [
        ...versionParameters(rows),
        `{${digests.map((digest) => digest ?? 'NULL').join(',')}}`,
      ]),
    );
    return new Map(known.rows.map(({ place, first_id }) => [place - 1, first_id]));
  }
}

const NONE_KNOWN: ReadonlyMap<number, string> = new Map();

function groupOf(rows: readonly NumberedRow<ClaimingRow>[]): Group {
  return { rows, digests: idempotencyKeyDigestsOf(rows) };
}

/**
 * Asks a gate about each row of a group, except rows whose idempotency key was used before. `known` has an entry for each of these rows:
 * the index of the row in the group, and the id of the stored event that used the key first.
 */
function admit(
  claims: Pick<LockedClaims, 'check' | 'take'>,
  { rows, digests }: Group,
  known: ReadonlyMap<number, string>,
): { outcomes: Map<number, GatedOutcome>; admitted: AdmittedRow[] } {
  const outcomes = new Map<number, GatedOutcome>();
  const admitted: AdmittedRow[] = [];
  const idByDigest = new Map<string, string>();
  for (const [i, numbered] of rows.entries()) {
    const digest = digests[i];
    const firstId = known.get(i) ?? (digest === undefined ? undefined : idByDigest.get(digest));
    if (firstId !== undefined) {
      outcomes.set(i, { firstId });
      continue;
    }
    const refusal = claims.check(numbered.row);
    if (refusal) {
      outcomes.set(i, refusal);
      continue;
    }
    admitted.push({ numbered, charges: claims.take(numbered.row) });
    if (digest !== undefined) idByDigest.set(digest, numbered.row.id);
  }
  return { outcomes, admitted };
}

/** Returns the digests of the keys of refused events. */
function refusedDigests(
  { digests }: Group,
  outcomes: ReadonlyMap<number, GatedOutcome>,
): (string | undefined)[] {
  return digests.filter((digest, i) => digest !== undefined && isRefusal(outcomes.get(i)));
}

/**
 * Throws {@link KeyStoredMeanwhile} if another process has stored an event with one of these keys since the append looked for them. The
 * event of the other process can be the reason why the gate refused, because it has used credits or a limit. The check is final, because
 * the gate's locks prevent that another event with these claims is stored before the commit.
 */
async function requireUnknown(tx: Queryable, digests: readonly (string | undefined)[]): Promise<void> {
  if (digests.length === 0) return;
  const { rows } = await tx.query(
    preparedStatement('SELECT FROM usage.keys WHERE digest = ANY ($1::uuid[]) LIMIT 1', [digests]),
  );
  if (rows.length > 0) throw new KeyStoredMeanwhile();
}

/** After this error, the transaction starts again, as after a violation of a unique index. */
class KeyStoredMeanwhile extends Error {
  readonly code = KEY_EXISTS;
}

function isRefusal(outcome: GatedOutcome | undefined): outcome is EventRefusal {
  return outcome !== undefined && outcome !== OUTDATED_GATE_VERSION && 'code' in outcome;
}

function isNotReady(outcome: LaneOutcome): outcome is NotReadyOutcome {
  return outcome !== OUTDATED_GATE_VERSION && 'prepared' in outcome;
}

/** Returns the arguments of the database function usage.append_charged, in the order of its parameters. */
function chargedParameters(admitted: readonly AdmittedRow[]): string[] {
  const charges = new ArrayLiteralBuilder();
  for (const { charges: own } of admitted)
    if (own.length === 0) charges.addNull();
    else charges.add(JSON.stringify(own));
  return [...parametersOfAppend(admitted.map(({ numbered }) => numbered)), charges.toString()];
}

/** Returns the lane of a customer: a number that is the same for all events of the customer. */
function laneOf(customerId: string): number {
  let sum = 0;
  for (let i = 0; i < customerId.length; i++) sum = (sum * 31 + customerId.charCodeAt(i)) | 0;
  return (sum >>> 4) % LANES;
}

function gateNotReady(): Unavailable {
  return new Unavailable(
    'too_many_at_work',
    'Too many changes of the same wallet or limit wait for their turn; send the usage again shortly, with the same idempotency keys',
  );
}
