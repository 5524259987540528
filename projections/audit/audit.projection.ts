import type { RecordedEvent } from '#libs/event-store';
import { appendProjection } from '#libs/projection';
import { AuditRow } from './audit-row.js';
import { auditRules } from './rules/index.js';
import { INTERNAL, type AuditRule } from './rules/rule.js';

/** Who did what and when, for `GET /v1/audit`: an entry for each event that means something to people. */
export const auditProjection = appendProjection<AuditRow>({
  name: 'audit',
  version: 1,
  entity: AuditRow,
  eventTypes: [...auditRules].filter(([, rule]) => rule !== INTERNAL).map(([type]) => type),
  rows(event) {
    const rule = auditRules.get(event.type);
    return rule === undefined || rule === INTERNAL ? [] : [rowOf(event, rule)];
  },
});

function rowOf({ id, data, metadata, position }: RecordedEvent, rule: AuditRule): AuditRow {
  const fields = data as Record<string, unknown>;
  const [resourceType] = rule.action.split('.');
  return {
    id,
    accountId: metadata.accountId,
    position: position.toString(),
    createdAt: metadata.occurredAt,
    action: rule.action,
    resourceType: resourceType!,
    resourceId: String(fields[rule.id]),
    actorType: metadata.actor.type,
    actorId: metadata.actor.id,
    requestId: metadata.correlationId,
    data: JSON.stringify(summaryOf(fields, rule)),
  };
}

function summaryOf(
  fields: Record<string, unknown>,
  { id, show = [], showAs = {}, changes }: AuditRule,
): object {
  const given = ([name]: [string, unknown]): boolean => fields[name] !== undefined;
  return {
    ...(changes ? { changed: Object.keys(fields).filter((name) => name !== id) } : {}),
    ...Object.fromEntries(show.map((name): [string, unknown] => [name, fields[name]]).filter(given)),
    ...Object.fromEntries(
      Object.entries(showAs)
        .filter(given)
        .map(([name, present]) => [name, present?.(fields[name])]),
    ),
  };
}
