import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { ChainLink } from './chain.js';

/** How far the audit trail's chain had come, in the one place that nobody who can only write the read models can change. */
export interface Anchor extends ChainLink {
  /** Where the event of the entry stands in the log: a whole number as text. What follows it is not yet anchored. */
  position: string;
}

export type AuditEvent = DomainEvent<'AuditAnchored', Anchor>;

export const auditEvents: EventCatalog<AuditEvent> = { AuditAnchored: v1 };
