import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { Instant } from '#libs/kernel/core';
import { CustomerRecordFinder, type UnfinishedRecords } from '#libs/contexts/privacy';

/** Finds the records of a customer in the read models, for the erasure of personal data. */
@Injectable()
export class ReadModelCustomerRecordFinder extends CustomerRecordFinder {
  constructor(private readonly pool: Pool) {
    super();
  }

  override async unfinishedRecords(workspaceId: string, customerId: string): Promise<UnfinishedRecords> {
    const { rows } = await this.pool.query<{ kind: keyof UnfinishedRecords; id: string }>(
      `SELECT 'subscriptions' AS kind, id FROM read.subscriptions WHERE workspace_id = $1 AND customer_id = $2 AND live
       UNION ALL SELECT 'invoices', id FROM read.invoices
       WHERE workspace_id = $1 AND customer_id = $2 AND status IN ('draft', 'open')
       UNION ALL SELECT 'expectedInvoices', state #>> '{lastBill,invoiceId}' FROM read.subscriptions s
       WHERE workspace_id = $1 AND customer_id = $2 AND state #>> '{lastBill,invoiceId}' IS NOT NULL
         AND NOT EXISTS (SELECT FROM read.invoices i WHERE i.workspace_id = $1 AND i.id = s.state #>> '{lastBill,invoiceId}')
       UNION ALL SELECT 'approvalRequests', id FROM read.approvals
       WHERE workspace_id = $1 AND customer_id = $2 AND status = 'pending'`,
      [workspaceId, customerId],
    );
    const ids = (kind: keyof UnfinishedRecords) =>
      rows.filter((row) => row.kind === kind).map(({ id }) => id);
    return {
      subscriptions: ids('subscriptions'),
      invoices: ids('invoices'),
      expectedInvoices: ids('expectedInvoices'),
      approvalRequests: ids('approvalRequests'),
    };
  }

  override async personalDataStreams(
    workspaceId: string,
    customerId: string,
  ): Promise<{ stream: string; id: string }[]> {
    const { rows } = await this.pool.query<{ stream: string; id: string }>(
      `SELECT stream, id FROM read.customers WHERE workspace_id = $1 AND id = $2
       UNION ALL SELECT stream, id FROM read.subscriptions WHERE workspace_id = $1 AND customer_id = $2
       UNION ALL SELECT stream, id FROM read.invoices WHERE workspace_id = $1 AND customer_id = $2
       UNION ALL SELECT stream, id FROM read.approvals WHERE workspace_id = $1 AND customer_id = $2
       UNION ALL SELECT stream, id FROM read.entitlement_grants WHERE workspace_id = $1 AND customer_id = $2
       ORDER BY stream`,
      [workspaceId, customerId],
    );
    return rows;
  }

  override async uninvoicedUsageStarts(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, Instant>> {
    const { rows } = await this.pool.query<{ customerId: string; since: Instant }>(
      `SELECT customer_id AS "customerId", min(since) AS since FROM (
         SELECT customer_id, state #>> '{period,start}' AS since FROM read.subscriptions
         WHERE workspace_id = $1 AND customer_id = ANY($2) AND live
         UNION ALL SELECT customer_id, state #>> '{lastBill,periodStart}' FROM read.subscriptions s
         WHERE workspace_id = $1 AND customer_id = ANY($2) AND state #>> '{lastBill,invoiceId}' IS NOT NULL
           AND NOT EXISTS (SELECT FROM read.invoices i WHERE i.workspace_id = $1 AND i.id = s.state #>> '{lastBill,invoiceId}')
         UNION ALL SELECT customer_id, state ->> 'periodStart' FROM read.invoices
         WHERE workspace_id = $1 AND customer_id = ANY($2) AND status = 'draft'
       ) open GROUP BY customer_id`,
      [workspaceId, customerIds],
    );
    return new Map(rows.map(({ customerId, since }) => [customerId, since]));
  }

  override async sqlMetrics(workspaceId: string): Promise<{ eventName: string; text: string }[]> {
    const { rows } = await this.pool.query<{ eventName: string; text: string }>(
      `SELECT v ->> 'eventName' AS "eventName", v ->> 'aggregation' AS text
       FROM read.metrics, jsonb_array_elements(state -> 'versions') v
       WHERE workspace_id = $1 AND v #>> '{aggregation,type}' = 'sql'`,
      [workspaceId],
    );
    return rows;
  }

  override async positionReachedByAllReadModels(): Promise<bigint | null> {
    const { rows } = await this.pool.query<{ position: string | null }>(
      'SELECT min(coalesce(position, 0)) AS position FROM projection.checkpoints',
    );
    const position = rows[0]?.position ?? null;
    return position === null ? null : BigInt(position);
  }
}
