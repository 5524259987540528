import { CHAIN_START, nextLink, type ChainLink } from '#libs/contexts/audit';
import type { RecordedEvent } from '#libs/kernel/domain';
import type { Projection } from '#libs/kernel/projection';
import { AuditRow } from './audit-row.js';
import { auditEntry, ENTRY_TYPES } from './entry.js';

/**
 * Who did what and when, for `GET /v1/audit`: an entry for each event that means something to people, chained to the
 * one before it.
 */
export const auditProjection: Projection = {
  name: 'audit',
  version: 7,
  entities: [AuditRow],
  eventTypes: new Set(ENTRY_TYPES),
  async apply(events, context) {
    const table = context.table(AuditRow);
    await table.upsert(chainedRows(events, await table.last()));
  },
};

/** The rows of `events`, in order, behind the row `last`. */
export function chainedRows(events: Iterable<RecordedEvent>, last: AuditRow | undefined): AuditRow[] {
  let link: ChainLink = last ? { sequence: Number(last.sequence), hash: last.hash } : CHAIN_START;
  const rows: AuditRow[] = [];
  for (const event of events) {
    const entry = auditEntry(event);
    if (entry === undefined) continue;
    const { sequence, digest, hash } = (link = nextLink(link, event));
    rows.push({ ...entry, sequence: String(sequence), digest, hash });
  }
  return rows;
}
