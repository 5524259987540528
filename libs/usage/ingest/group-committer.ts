import { Unavailable } from '#libs/kernel/core';
import { toDatabaseUnavailable } from '#libs/kernel/postgres';

/** The outcomes of those rows that were not simply stored as new rows. The keys are the indexes of the rows. */
export type OutcomesByUnstoredRow<Outcome> = ReadonlyMap<number, Outcome>;

/** The rows of one request, which are a part of a commit group. */
interface Append<Row, Outcome> {
  readonly rows: readonly Row[];
  readonly resolve: (differing: OutcomesByUnstoredRow<Outcome>) => void;
  readonly reject: (error: unknown) => void;
}

const ROWS_PER_COMMIT = 5_000;
/**
 * The maximum number of usage rows that wait to be committed. If more rows wait, the database is too slow, and an error is better than a
 * growing queue.
 */
const MAX_WAITING_ROWS = 200_000;

/**
 * Commits the rows of many requests in groups. When a commit can start, it stores the requests that wait, up to about 5,000 rows. A single
 * request is therefore stored at once, while many requests share one statement and one flush to disk.
 */
export class GroupCommitter<Row, Outcome> {
  private waiting: Append<Row, Outcome>[] = [];
  private waitingRows = 0;
  private committing = 0;

  /**
   * @param write stores a group in one transaction
   * @param inFlight the maximum number of simultaneous commits
   */
  constructor(
    private readonly write: (rows: readonly Row[]) => Promise<OutcomesByUnstoredRow<Outcome>>,
    private readonly inFlight: number,
  ) {}

  /**
   * Stores the rows, and resolves when the rows are on disk. Rejects with Unavailable if the database is too slow (`usage_overloaded`),
   * cannot be reached (`usage_unavailable`) or is full (`storage_full`).
   */
  async append(rows: readonly Row[]): Promise<OutcomesByUnstoredRow<Outcome>> {
    if (this.waitingRows + rows.length > MAX_WAITING_ROWS)
      throw new Unavailable(
        'usage_overloaded',
        'Usage arrives faster than it can be stored; try again shortly',
      );
    return new Promise((resolve, reject) => {
      this.waiting.push({ rows, resolve, reject });
      this.waitingRows += rows.length;
      this.commitNext();
    });
  }

  private commitNext(): void {
    if (this.committing === this.inFlight || this.waiting.length === 0) return;
    let rows = this.waiting[0]!.rows.length;
    let count = 1;
    while (count < this.waiting.length && rows + this.waiting[count]!.rows.length <= ROWS_PER_COMMIT)
      rows += this.waiting[count++]!.rows.length;
    const group = this.waiting.splice(0, count);
    this.waitingRows -= rows;
    this.committing++;
    void this.commit(group).finally(() => {
      this.committing--;
      this.commitNext();
    });
  }

  /** Resolves or rejects every request of the group. Never rejects. */
  private async commit(group: Append<Row, Outcome>[]): Promise<void> {
    try {
      share(group, await this.write(group.flatMap((one) => one.rows)));
    } catch (error) {
      if (group.length === 1 || !isAboutData(error)) {
        for (const { reject } of group) reject(errorForSender(error));
        return;
      }
      // No row of the group was stored. Each request is tried again separately, because the wrong data of one request must not fail the
      // others.
      for (const one of group) await this.commit([one]);
    }
  }
}

/**
 * Returns the error for the senders of the group's requests. If the disk is full, the error says that nothing was stored. If the response
 * of the database was lost, the error says what the sender should do.
 */
export function errorForSender(error: unknown): unknown {
  const passing = toDatabaseUnavailable(error);
  if (!passing) return error;
  if (passing.code === 'storage_full') return passing;
  return new Unavailable(
    'usage_unavailable',
    'The usage was possibly not stored; send it again, with the same idempotency keys',
  );
}

/**
 * Resolves each request with the differing outcomes of its own rows. The keys of these outcomes are the indexes of the rows in the request.
 */
function share<Row, Outcome>(
  group: readonly Append<Row, Outcome>[],
  differing: OutcomesByUnstoredRow<Outcome>,
): void {
  let start = 0;
  for (const { rows, resolve } of group) {
    const end = start + rows.length;
    resolve(differing.size === 0 ? differing : slice(differing, start, end));
    start = end;
  }
}

function slice<Outcome>(
  differing: OutcomesByUnstoredRow<Outcome>,
  start: number,
  end: number,
): OutcomesByUnstoredRow<Outcome> {
  const own = [...differing].filter(([place]) => place >= start && place < end);
  return new Map(own.map(([place, outcome]) => [place - start, outcome]));
}

/**
 * Tells whether the rows caused the error: SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). After such a data
 * error, the transaction was rolled back.
 */
function isAboutData(error: unknown): boolean {
  return /^2[23]/.test(String((error as { code?: unknown }).code));
}

/** Returns the same outcome for all rows. */
export function sameOutcomeForAll<Outcome>(
  rows: readonly unknown[],
  outcome: Outcome,
): OutcomesByUnstoredRow<Outcome> {
  return new Map(rows.map((_, i) => [i, outcome]));
}
