import type { RecordedEvent } from '#libs/kernel/domain';
import { auditTrailRules, INTERNAL, type AuditTrailRule } from '#libs/manifest';
import type { AuditRow } from './audit-row.js';

const rules = auditTrailRules();

/** The actions that audit entries can have. */
export const AUDIT_ACTIONS = [
  ...new Set([...rules.values()].flatMap((rule) => (rule === INTERNAL ? [] : [rule.action]))),
];

/** Returns the resource type of an action: the part of its name before the dot. */
export function resourceTypeOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

/** An audit entry without its number and hashes in the chain. */
export type AuditEntry = Omit<AuditRow, 'sequence' | 'digest' | 'hash'>;

/** The types of the events that appear in the audit trail. */
export const AUDITED_EVENT_TYPES = [...rules].filter(([, rule]) => rule !== INTERNAL).map(([type]) => type);

/** Returns the audit entry for an event, or undefined if the event is internal. */
export function auditEntryOf(event: RecordedEvent): AuditEntry | undefined {
  const rule = rules.get(event.type);
  return rule === undefined || rule === INTERNAL ? undefined : entryOf(event, rule);
}

function entryOf({ id, data, metadata, position }: RecordedEvent, rule: AuditTrailRule): AuditEntry {
  const fields = data as Record<string, unknown>;
  return {
    id,
    workspaceId: metadata.workspaceId,
    position: position.toString(),
    createdAt: metadata.occurredAt,
    action: rule.action,
    resourceType: resourceTypeOf(rule.action),
    resourceId: String(fields[rule.id]),
    actorType: metadata.actor.type,
    actorId: metadata.actor.id,
    requestId: metadata.correlationId,
    data: JSON.stringify(summaryOf(fields, rule)),
  };
}

function summaryOf(
  fields: Record<string, unknown>,
  { id, show = [], showAs = {}, changes }: AuditTrailRule,
): object {
  const summary: Record<string, unknown> = {};
  if (changes) summary['changed'] = Object.keys(fields).filter((name) => name !== id);
  for (const name of show) if (fields[name] !== undefined) summary[name] = fields[name];
  for (const name in showAs) if (fields[name] !== undefined) summary[name] = showAs[name]?.(fields[name]);
  return summary;
}
