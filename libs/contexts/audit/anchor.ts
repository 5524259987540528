import { defineDecider } from '#libs/kernel/domain';
import { auditEvents, type AuditAnchor, type AuditEvent } from './events.js';

/** The command that anchors the hash chain of the audit trail at one entry. */
export interface AnchorAuditTrail {
  type: 'AnchorAuditTrail';
  anchor: AuditAnchor;
}

/** Decides the anchors of the audit trail, which are all in one stream. The state of this decider is the newest anchor. */
export const auditAnchorDecider = defineDecider<AuditAnchor, AnchorAuditTrail, AuditEvent>({
  category: 'audit',
  events: auditEvents,
  decide({ anchor }, newest) {
    const isNew = newest === undefined || anchor.sequence > newest.sequence;
    return isNew ? [{ type: 'AuditAnchored', data: anchor }] : [];
  },
  evolve: (_, event) => event.data,
});
