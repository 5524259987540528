import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { ChainLink } from './chain.js';

/**
 * A hash over all entries of the audit trail from the first to a certain entry. An anchor is in the event store, where somebody who can
 * write only the read models cannot change it.
 */
export interface AuditAnchor extends ChainLink {
  /** The position of the entry's event in the log: a whole number as a string. The anchor does not cover events after this position. */
  position: string;
}

export type AuditEvent = DomainEvent<'AuditAnchored', AuditAnchor>;

export const auditEvents: EventCatalog<AuditEvent> = { AuditAnchored: v1 };
