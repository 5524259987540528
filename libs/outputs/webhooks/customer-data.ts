import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Pool } from 'pg';
import { mentionsAnyId, parseJson } from '#libs/kernel/core';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { DeliveryStore } from './delivery/delivery-store.js';
import { presentDelivery } from './delivery/present-delivery.js';

/** The number of deliveries that one query reads. */
const PAGE = 500;

/** The webhook deliveries whose message contains the customer's id, with the attempts of each delivery. */
@Injectable()
class WebhookDeliveriesSource implements CustomerDataSource {
  constructor(
    private readonly pool: Pool,
    private readonly modules: ModuleRef,
  ) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const deliveries = this.modules.get(DeliveryStore, { strict: false });
    const ids = new Set([customerId]);
    for (let after: string | null = '0'; after !== null;) {
      const page: { rows: { number: string; id: string; webhookId: string; found: boolean }[] } =
        await this.pool.query(
          `SELECT number, id, webhook_id AS "webhookId", strpos(body, $3) > 0 AS found FROM webhooks.deliveries
           WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT ${PAGE}`,
          [workspaceId, after, JSON.stringify(customerId)],
        );
      for (const { id, webhookId, found } of page.rows) {
        if (!found) continue;
        const report = await deliveries.find(id);
        if (report && mentionsAnyId(parseJson(report.body), ids))
          yield presentDelivery(await deliveries.get(webhookId, id));
      }
      after = page.rows.length < PAGE ? null : page.rows.at(-1)!.number;
    }
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'webhookDeliveries', source: WebhookDeliveriesSource },
];
