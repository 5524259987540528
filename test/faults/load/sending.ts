import type { Repetition } from './client.ts';
import type { Answer } from './journal.ts';
import type { Random } from './random.ts';
import { EPOCH } from './workspace.ts';

/** How much happens in a workspace in a month. */
export interface Extent {
  /** New customers a month, at least and at most. */
  newcomers: readonly [number, number];
  /** Requests with usage a month for each subscriber, at least and at most. */
  usage: readonly [number, number];
  /** The share of requests that are sent again though they were answered. */
  repeated: number;
}

/** The day of a month on which its usage is sent. */
export const DAYS_BEFORE_USAGE = 20;

/** Whether and how the next request is repeated. */
export function repetitions(random: Random, share: number): () => Repetition {
  return () => (random.chance(share) ? random.pick(['together', 'afterwards'] as const) : undefined);
}

/** The beginning of a day, counted from the beginning of a month, counted from the first one. */
export function dayOf(month: number, day: number): string {
  const date = new Date(EPOCH);
  date.setUTCMonth(date.getUTCMonth() + month);
  date.setUTCDate(date.getUTCDate() + day);
  return date.toISOString();
}

/** The code of an answer that refuses. */
export const codeOf = ({ body }: Answer): string | undefined => (body as { code?: string } | null)?.code;

/** Resolves to an answer with this status, or one that refuses with one of these codes. Throws at every other one. */
export async function expectStatus(
  expected: number,
  sent: Promise<Answer>,
  refusals: readonly string[] = [],
): Promise<Answer> {
  const answer = await sent;
  if (answer.status !== expected && !refusals.includes(codeOf(answer) ?? ''))
    throw new Error(`Expected ${expected}, got ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
