import type { Pool } from 'pg';
import { recordedEvents } from '../../support/event-store.ts';
import { isEmbedded } from '../../support/store-process.ts';
import { wrong, type Finding } from './finding.ts';

/**
 * The event store's log by itself: the revisions of each stream without a gap, and the embedded node's positions without
 * a gap. Call it when nothing writes.
 */
export async function checkLog(pool: Pool, eventStoreUrl: string): Promise<Finding[]> {
  return [...(isEmbedded ? await checkPositions(pool) : []), ...(await checkRevisions(eventStoreUrl))];
}

async function checkPositions(pool: Pool): Promise<Finding[]> {
  const { rows: logs } = await pool.query<{ head: string; count: string; last: string; first: string }>(
    `SELECT (SELECT head FROM eventstore.log) AS head, count(*) AS count, min(position) AS first, max(position) AS last
     FROM eventstore.events`,
  );
  const { head, count, first, last } = logs[0]!;
  if (last === head && BigInt(last) - BigInt(first) + 1n === BigInt(count)) return [];
  return [wrong(`The log has ${count} events from ${first} to ${last}, and its head is ${head}`)];
}

async function checkRevisions(eventStoreUrl: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const next = new Map<string, bigint>();
  for (const { streamId, revision } of await recordedEvents(eventStoreUrl)) {
    const expected = next.get(streamId) ?? 0n;
    if (revision !== expected)
      findings.push(wrong(`Stream ${streamId} has revision ${revision} where ${expected} comes next`));
    next.set(streamId, revision + 1n);
  }
  return findings;
}
