import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { auditAnchorDecider } from './anchor.js';
import type { AuditAnchor, AuditEvent } from './events.js';

const anchorAt = (sequence: number): AuditAnchor => ({ sequence, hash: `hash ${sequence}`, position: '7' });
const anchored = (sequence: number): AuditEvent => ({ type: 'AuditAnchored', data: anchorAt(sequence) });

describe('an anchor of the audit trail', () => {
  it('is recorded if it is the first anchor, or if its entry is after the newest anchor', () => {
    decide(auditAnchorDecider)
      .given()
      .when({ type: 'AnchorAuditTrail', anchor: anchorAt(5) })
      .then(anchored(5));
    decide(auditAnchorDecider)
      .given(anchored(5))
      .when({ type: 'AnchorAuditTrail', anchor: anchorAt(6) })
      .then(anchored(6));
  });

  it.each([4, 5])('is not recorded for entry %i when entry 5 is anchored', (sequence) => {
    decide(auditAnchorDecider)
      .given(anchored(5))
      .when({ type: 'AnchorAuditTrail', anchor: anchorAt(sequence) })
      .then();
  });
});
