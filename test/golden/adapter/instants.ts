import { parseInstant, type Instant } from '#libs/kernel/core';
import type { Period } from '#libs/rating';

/** A stretch of time as cases write it. */
export interface GoldenPeriod {
  start: string;
  end: string;
}

/** An instant of a case as ours, which have milliseconds. */
export function instantOf(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`"${text}" is no instant`);
  return instant;
}

export function periodOf({ start, end }: GoldenPeriod): Period {
  return { start: instantOf(start), end: instantOf(end) };
}

/** An instant of ours as cases write it: without milliseconds, where there are none. */
export function textOf(instant: Instant): string {
  return instant.replace('.000Z', 'Z');
}
