import type { Pool } from 'pg';
import { wrong, type Finding } from './finding.ts';

/**
 * The event store's log by itself: positions without a gap, and the revisions of each stream without a gap. Call it when
 * nothing writes.
 */
export async function checkLog(pool: Pool): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { rows: logs } = await pool.query<{ head: string; count: string; last: string; first: string }>(
    `SELECT (SELECT head FROM eventstore.log) AS head, count(*) AS count, min(position) AS first, max(position) AS last
     FROM eventstore.events`,
  );
  const { head, count, first, last } = logs[0]!;
  if (last !== head || BigInt(last) - BigInt(first) + 1n !== BigInt(count))
    findings.push(wrong(`The log has ${count} events from ${first} to ${last}, and its head is ${head}`));
  const { rows: streams } = await pool.query<{ name: string; count: string; last: string }>(
    `SELECT name, count(*) AS count, max(revision) AS last
     FROM eventstore.events JOIN eventstore.streams ON streams.id = stream_id
     GROUP BY name HAVING max(revision) <> count(*) - 1 OR min(revision) <> 0`,
  );
  for (const stream of streams)
    findings.push(wrong(`Stream ${stream.name} has ${stream.count} events up to revision ${stream.last}`));
  return findings;
}
