import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { PortalSessionEvent } from './events.js';
import { portalSessionDecider } from './portal-session.js';

const details = {
  portalSessionId: 'pses_1',
  customerId: 'cust_1',
  allowPlanChanges: true,
  allowCreditPurchases: false,
  at: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T01:00:00.000Z',
} as const;
const created: PortalSessionEvent = { type: 'PortalSessionCreated', data: details };
const revoked: PortalSessionEvent = {
  type: 'PortalSessionRevoked',
  data: { portalSessionId: 'pses_1', customerId: 'cust_1' },
};
const { given } = decide(portalSessionDecider);

describe('a portal session', () => {
  it('is created once', () => {
    given()
      .when({ type: 'CreatePortalSession', ...details })
      .then(created);
    given(created)
      .when({ type: 'CreatePortalSession', ...details })
      .then();
  });

  it('has recorded terms, and a flag for its revocation', () => {
    const { at: createdAt, ...known } = details;
    expect(given(created).state()).toEqual({ ...known, createdAt, revoked: false });
    expect(given(created, revoked).state()).toEqual({ ...known, createdAt, revoked: true });
  });

  it('is revoked once', () => {
    const revoke = { type: 'RevokePortalSession', portalSessionId: 'pses_1' } as const;
    given(created).when(revoke).then(revoked);
    given(created, revoked).when(revoke).then();
    given().when(revoke).then();
  });
});
