import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, Repository } from 'typeorm';
import { Customers } from '#libs/contexts/customers';
import { systemClock } from '#libs/kernel/system';
import { PortalSession } from '../entities/portal-session.entity.js';
import type { PortalPrincipal } from '../principal.js';
import { ClosedPortals } from './closed-portals.js';
import { hashPortalToken, isWellFormedPortalToken } from './portal-token-format.js';
import { createExpiredRowsPruner } from '../create-expired-rows-pruner.js';

/** Checks the tokens of portal sessions. Each check reads the database, so the end of a session takes effect at once in every process. */
@Injectable()
export class PortalSessionAuthenticator {
  constructor(
    @InjectRepository(PortalSession) private readonly rows: Repository<PortalSession>,
    private readonly customers: Customers,
    private readonly closed: ClosedPortals,
  ) {}

  /**
   * Returns the principal of a portal token. Returns undefined if the token is malformed or unknown, or if its session has expired or was
   * revoked. Returns undefined also if the customer is deleted or is being erased.
   */
  async authenticate(token: string): Promise<PortalPrincipal | undefined> {
    if (!isWellFormedPortalToken(token)) return undefined;
    const live = { revokedAt: IsNull(), expiresAt: MoreThan(systemClock.now()) };
    const row = await this.rows.findOneBy({ hash: hashPortalToken(token), ...live });
    if (!row) return undefined;
    const { id, workspaceId, customerId, expiresAt } = row;
    const { allowPlanChanges, quantityLimits, allowCreditPurchases } = row;
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer || customer.deleted || (await this.closed.isClosed(workspaceId, customerId)))
      return undefined;
    const allowed = { allowPlanChanges, quantityLimits, allowCreditPurchases };
    return { kind: 'portal', id, workspaceId, customerId, ...allowed, expiresAt };
  }
}

export const prunePortalSessions = createExpiredRowsPruner('portal_sessions', 'id');
