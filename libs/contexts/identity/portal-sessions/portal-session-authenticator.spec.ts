import { describe, expect, it, jest } from '@jest/globals';
import type { FindOperator, Repository } from 'typeorm';
import type { Customers } from '#libs/contexts/customers';
import { systemClock } from '#libs/kernel/system';
import { generateApiKey } from '../api-keys/api-key-format.js';
import type { PortalSession } from '../entities/portal-session.entity.js';
import type { ClosedPortals } from './closed-portals.js';
import { generatePortalToken, hashPortalToken, isWellFormedPortalToken } from './portal-token-format.js';
import { PortalSessionAuthenticator } from './portal-session-authenticator.js';

const token = generatePortalToken();
const row = {
  id: 'pses_1',
  workspaceId: 'acc_1',
  customerId: 'cust_1',
  allowPlanChanges: true,
  quantityLimits: { minimum: 1, maximum: 20 },
  allowCreditPurchases: false,
  expiresAt: '2030-01-01T00:00:00.000Z',
} as PortalSession;

/** PortalSessionAuthenticator with a row for `token`, and what is known of its customer. */
function sessionsOf(customer: { deleted: boolean } | undefined, isClosed = false) {
  const findOneBy = jest.fn(({ hash }: { hash: Buffer; expiresAt: FindOperator<string> }) =>
    Promise.resolve(hash.equals(hashPortalToken(token)) ? row : null),
  );
  const sessions = new PortalSessionAuthenticator(
    { findOneBy } as unknown as Repository<PortalSession>,
    { find: () => Promise.resolve(customer) } as unknown as Customers,
    { isClosed: () => Promise.resolve(isClosed) } as unknown as ClosedPortals,
  );
  return { sessions, findOneBy };
}

describe('a portal token', () => {
  it('is portal_, 256 random bits and six characters of checksum', () => {
    expect(token).toMatch(/^portal_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
    expect(isWellFormedPortalToken(token)).toBe(true);
    const other = token.at(10) === 'a' ? 'b' : 'a';
    expect(isWellFormedPortalToken(token.slice(0, 10) + other + token.slice(11))).toBe(false);
    expect(isWellFormedPortalToken(generateApiKey())).toBe(false);
    expect(new Set(Array.from({ length: 100 }, generatePortalToken)).size).toBe(100);
  });

  it('speaks for the one customer of its session', async () => {
    const { sessions, findOneBy } = sessionsOf({ deleted: false });
    const { id, workspaceId, customerId, expiresAt } = row;
    const { allowPlanChanges, quantityLimits, allowCreditPurchases } = row;
    await expect(sessions.authenticate(token)).resolves.toEqual({
      kind: 'portal',
      id,
      workspaceId,
      customerId,
      allowPlanChanges,
      quantityLimits,
      allowCreditPurchases,
      expiresAt,
    });
    // Expiry is a condition of the query, by the machine's clock.
    const { expiresAt: condition } = findOneBy.mock.calls[0]![0];
    expect(condition.type).toBe('moreThan');
    expect(Math.abs(Date.parse(condition.value) - systemClock.nowMillis())).toBeLessThan(60_000);
  });

  it('is refused if it is unknown or malformed, the latter without a query', async () => {
    const { sessions, findOneBy } = sessionsOf({ deleted: false });
    await expect(sessions.authenticate(`${token.slice(0, -1)}!`)).resolves.toBeUndefined();
    expect(findOneBy).not.toHaveBeenCalled();
    await expect(sessions.authenticate(generatePortalToken())).resolves.toBeUndefined();
  });

  it('is refused once its customer is deleted', async () => {
    await expect(sessionsOf({ deleted: true }).sessions.authenticate(token)).resolves.toBeUndefined();
    await expect(sessionsOf(undefined).sessions.authenticate(token)).resolves.toBeUndefined();
  });

  it('is refused once its customer is being erased', async () => {
    await expect(sessionsOf({ deleted: false }, true).sessions.authenticate(token)).resolves.toBeUndefined();
  });
});
