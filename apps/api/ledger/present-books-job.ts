import { addSeconds } from '#libs/kernel/core';
import { BOOKS_JOB_DAYS, type BooksJob } from '#libs/outputs/books';

const SECONDS_PER_DAY = 86_400;

/** The part of the event log that a job has read, from 0 to 1, in hundredths. */
export function progressOfBooksJob({ status, head, position }: BooksJob): number {
  if (status === 'done') return 1;
  const [end, read] = [Number(head ?? 0), Number(position ?? 0)];
  return end > 0 ? Math.floor(Math.min(1, read / end) * 100) / 100 : 0;
}

/** The time from which a job and its result can be removed; null until it has ended. */
export function expiryOfBooksJob({ endedAt }: BooksJob): string | null {
  return endedAt === null ? null : addSeconds(endedAt, BOOKS_JOB_DAYS * SECONDS_PER_DAY);
}
