import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import type { PortalSession } from './entities/portal-session.entity.js';
import { presentPortalSession } from './present.js';

const PAGE = 500;

/** The portal sessions that are still stored, without their tokens. */
@Injectable()
class PortalSessionsSource implements CustomerDataSource {
  constructor(private readonly pool: Pool) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    for (let after = ''; ;) {
      const { rows } = await this.pool.query<PortalSession>(
        `SELECT id, customer_id AS "customerId", allow_plan_changes AS "allowPlanChanges",
           quantity_limits AS "quantityLimits", allow_credit_purchases AS "allowCreditPurchases", created_at AS "createdAt", expires_at AS "expiresAt",
           revoked_at AS "revokedAt"
         FROM identity.portal_sessions WHERE workspace_id = $1 AND customer_id = $2 AND id > $3 ORDER BY id LIMIT ${PAGE}`,
        [workspaceId, customerId, after],
      );
      for (const row of rows) yield { ...presentPortalSession(row), revokedAt: row.revokedAt };
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.id;
    }
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'portalSessions', source: PortalSessionsSource, isAudited: true },
];
