import { CHAIN_START, nextLink, type ChainLink } from '#libs/contexts/audit';
import type { RecordedEvent } from '#libs/kernel/domain';
import type { Projection } from '#libs/kernel/projection';
import { AuditRow } from './audit-row.js';
import { auditEntryOf, AUDITED_EVENT_TYPES } from './audit-entry.js';

/**
 * The audit trail, for `GET /v1/audit`. The audit trail has an entry for each event that is not internal, and each entry has a hash of the
 * entry before.
 */
export const auditProjection: Projection = {
  name: 'audit',
  version: 7,
  entities: [AuditRow],
  eventTypes: new Set(AUDITED_EVENT_TYPES),
  async apply(events, context) {
    const table = context.table(AuditRow);
    await table.upsert(chainedRows(events, await table.lastRow()));
  },
};

/** Returns audit rows for `events`, in order, which continue the hash chain after the row `last`. */
export function chainedRows(events: Iterable<RecordedEvent>, last: AuditRow | undefined): AuditRow[] {
  let link: ChainLink = last ? { sequence: Number(last.sequence), hash: last.hash } : CHAIN_START;
  const rows: AuditRow[] = [];
  for (const event of events) {
    const entry = auditEntryOf(event);
    if (entry === undefined) continue;
    const { sequence, digest, hash } = (link = nextLink(link, event));
    rows.push({ ...entry, sequence: String(sequence), digest, hash });
  }
  return rows;
}
