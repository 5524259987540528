import type { Instant } from '#libs/kernel/core';

/** The number of days for which an export with its file, or a verification with its result, is kept after its end. */
export const BOOKS_JOB_DAYS = 7;

/** `pending`: waits for its turn. `running`: is being done. `done`: the result is whole. `failed`: `error` says why. */
export const BOOKS_JOB_STATUSES = ['pending', 'running', 'done', 'failed'] as const;
export type BooksJobStatus = (typeof BOOKS_JOB_STATUSES)[number];

/** Work on the books of a workspace that is requested over HTTP and done in the background: an export or a verification. */
export interface BooksJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: BooksJobStatus;
  /** The number of the run that does the work. An interrupted run is followed by another one. */
  readonly run: number;
  /** The position in the event log up to which events are read; null before the first run. */
  readonly head: string | null;
  /** The position up to which events have been read; null before the first run. */
  readonly position: string | null;
  readonly error: string | null;
  readonly createdAt: Instant;
  readonly endedAt: Instant | null;
}

/** The run of a job. */
export type Run = Pick<BooksJob, 'id' | 'run'>;
