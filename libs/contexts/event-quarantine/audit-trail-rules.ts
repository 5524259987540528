import type { QuarantineEvent } from '#libs/kernel/domain';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/** The entries are in the trail of the workspace whose event is set aside. The digest proves later what the event was. */
export const auditTrailRules: AuditTrailRules<QuarantineEvent> = {
  EventQuarantined: {
    action: 'event.quarantined',
    id: 'position',
    show: ['stream', 'revision', 'eventType', 'eventId', 'digest', 'reason'],
  },
  EventReleased: { action: 'event.released', id: 'position', show: ['reason'] },
  EventReadmitted: INTERNAL,
  EventDiscarded: { action: 'event.discarded', id: 'position', show: ['reason'] },
};
