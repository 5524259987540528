import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { entitlementGrantDecider } from './entitlement-grant.js';

const grantId = 'entgrant_1';
const at = '2026-01-10T00:00:00.000Z';
const customerId = 'cust_1';
const details = { customerId, featureId: 'tokens', limit: '500', reason: null, expiresAt: null };
const granted = { type: 'EntitlementGranted', data: { grantId, at, ...details } } as const;
const removed = { type: 'EntitlementGrantRemoved', data: { grantId, customerId, at } } as const;
const remove = { type: 'RemoveEntitlementGrant', at, grantId } as const;
const { given } = decide(entitlementGrantDecider);

describe('an entitlement grant', () => {
  it('is made once', () => {
    const grant = { type: 'GrantEntitlement', at, grantId, details } as const;
    given().when(grant).then(granted);
    given(granted).when(grant).then();
  });

  it('must expire in the future', () => {
    const past = { ...details, expiresAt: at };
    given()
      .when({ type: 'GrantEntitlement', at, grantId, details: past })
      .refused('validation_failed', 'expiresAt');
  });

  it('is removed once', () => {
    given(granted).when(remove).then(removed);
    given(granted, removed).when(remove).refused('entitlement_grant_not_found');
    given().when(remove).refused('entitlement_grant_not_found');
  });
});
