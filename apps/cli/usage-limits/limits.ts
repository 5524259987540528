import type { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { inTransaction, retryUntilDone } from '#libs/kernel/postgres';
import {
  readAllLimitIds,
  CounterVerification,
  markCountersOutdated,
  removeCountersOfDeletedLimits,
} from '#libs/contexts/usage-limits';
import { CliError } from '../cli-error.js';
import { startProgress } from '../progress.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { countWithNoun, durationText } from '../wording.js';
import { withLimitSources, type LimitSources } from './limit-sources.js';

/** The options of the commands on usage limits. */
export interface LimitOptions {
  /** The id of the only workspace whose limits are verified or rebuilt; by default, all workspaces are. */
  readonly workspace?: string;
}

/** A limit that differs from the events of its stream, or a counter that differs from the usage log. */
export interface LimitDifference {
  readonly workspaceId: string;
  readonly limitId: string;
  /** If null, the limit itself differs, and not a counter of a customer. */
  readonly customerId: string | null;
  /** A text that says what differs. */
  readonly difference: string;
}

/** The result of `limits verify`. */
export interface LimitsVerification {
  /** The number of compared limits. */
  readonly limits: number;
  /** The number of counters of the compared limits. Outdated counters are included, although they have nothing to compare. */
  readonly counters: number;
  readonly differences: readonly LimitDifference[];
  /** The time that the comparison took, in seconds. */
  readonly seconds: number;
}

/** The result of `limits rebuild`. */
export interface LimitsRebuildResult {
  /** The number of limits that were set to the values in their streams. */
  readonly limits: number;
  /** The number of counters that were marked as outdated. */
  readonly counters: number;
  /** The time that the rebuild took, in seconds. */
  readonly seconds: number;
}

/** Compares the limits in force with their streams, and the counters with the usage log. Shows the progress on `output`. */
export async function verifyUsageLimits(
  options: LimitOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<LimitsVerification> {
  const began = performance.now();
  const differences: LimitDifference[] = [];
  let counters = 0;
  const limits = await withLimitSources(env, 'verify', async ({ pool, rules }) => {
    const verification = new CounterVerification(pool);
    const count = await eachLimit(options, output, { pool, rules }, async ({ workspaceId, limitId }) => {
      if (!(await rules.isUpToDate(workspaceId, limitId)))
        differences.push({
          workspaceId,
          limitId,
          customerId: null,
          difference: 'the limit in force differs from its stream',
        });
      for await (const key of verification.countersOf(workspaceId, limitId)) {
        const difference = await verification.verify(key);
        if (difference !== undefined)
          differences.push({ workspaceId, limitId, customerId: key.customerId, difference });
        counters++;
      }
    });
    requireLimits(count, options);
    return count;
  });
  return { limits, counters, differences, seconds: (performance.now() - began) / 1_000 };
}

/**
 * Sets the limits to the values in their streams, removes the counters of deleted limits, and marks all other counters as outdated. An
 * outdated counter is computed again at its next use. Throws a {@link CliError} if the wanted workspace has neither limits nor counters of
 * deleted limits. Shows the progress on `output`.
 */
export async function rebuildLimits(
  options: LimitOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<LimitsRebuildResult> {
  const began = performance.now();
  return withLimitSources(env, 'rebuild', async (sources) => {
    const limits = await eachLimit(options, output, sources, ({ workspaceId, limitId }) =>
      sources.rules.putInForce(workspaceId, limitId),
    );
    // A workspace without limits can still have counters of limits that it has deleted.
    const removed = await removeCountersOfDeletedLimits(sources.pool, options.workspace);
    if (removed === 0) requireLimits(limits, options);
    const counters = await markAll(sources.pool, options.workspace);
    return { limits, counters, seconds: (performance.now() - began) / 1_000 };
  });
}

/** Marks the counters as outdated, and returns their number. Tries again while one of the counters is being computed. */
async function markAll(pool: Pool, workspaceId: string | undefined): Promise<number> {
  return retryUntilDone(
    new AbortController().signal,
    () => inTransaction(pool, (tx) => markCountersOutdated(tx, { workspaceId })),
    undefined,
    (error) => error instanceof Unavailable,
  );
}

/** Throws a {@link CliError} if the wanted workspace has no limits. */
function requireLimits(count: number, { workspace }: LimitOptions): void {
  if (count === 0 && workspace !== undefined)
    throw new CliError(`The workspace "${workspace}" has no usage limits; check --workspace`);
}

/** Calls `work` for each limit, and returns the number of limits. */
async function eachLimit(
  { workspace }: LimitOptions,
  output: NodeJS.WriteStream,
  { pool }: LimitSources,
  work: (limit: { workspaceId: string; limitId: string }) => Promise<void>,
): Promise<number> {
  const limits = await readAllLimitIds(pool, workspace);
  const progress = startProgress(limits.length, 'limits', output);
  await runUntilStopSignal(async (signal) => {
    try {
      for (const [index, limit] of limits.entries()) {
        if (signal.aborted) throw new CliError('Stopped. Run the same command to begin again');
        await work(limit);
        progress.update(index + 1, index + 1);
      }
    } finally {
      progress.stop();
    }
  });
  return limits.length;
}

/** Describes the result of a comparison for the terminal. */
export function describeLimitsVerification({
  limits,
  counters,
  differences,
  seconds,
}: LimitsVerification): string {
  const lines = differences.map(
    ({ workspaceId, limitId, customerId, difference }) =>
      `${limitId}${customerId === null ? '' : ` of ${customerId}`} in ${workspaceId}: ${difference}`,
  );
  const found =
    differences.length === 0 ? 'nothing differs' : countWithNoun(differences.length, 'difference');
  return [
    ...lines,
    `${countWithNoun(limits, 'limit')} and ${countWithNoun(counters, 'counter')} compared in ${durationText(seconds)}: ${found}`,
    '',
  ].join('\n');
}

/** Describes the result of a rebuild for the terminal. */
export function describeLimitsRebuild({ limits, counters, seconds }: LimitsRebuildResult): string {
  return (
    `${countWithNoun(limits, 'limit')} put in force, and ${countWithNoun(counters, 'counter')} marked, in ${durationText(seconds)}. ` +
    'The next use of each counter counts it from the usage log\n'
  );
}
