import { parseJson } from '#libs/kernel/core';
import type { AuditRow } from './audit-row.js';

/** Returns an entry of the audit trail in the form of the API. */
export function presentAuditEntry(row: AuditRow) {
  return {
    id: row.id,
    action: row.action,
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    actor: { type: row.actorType, id: row.actorId },
    createdAt: row.createdAt,
    requestId: row.requestId,
    data: parseJson(row.data) as Record<string, unknown>,
    hash: row.hash,
  };
}

/** The columns of an export of the audit trail, in order. */
export const AUDIT_EXPORT_COLUMNS = [
  'id',
  'createdAt',
  'action',
  'resourceType',
  'resourceId',
  'actorType',
  'actorId',
  'requestId',
  'data',
  'hash',
] as const satisfies readonly (keyof AuditRow)[];
