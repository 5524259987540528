import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { LessThan, Repository } from 'typeorm';
import type { BillingRunInvoice, BillingRunReport } from '#libs/contexts/billing';
import { Decimal, moneyString, type ListPart } from '#libs/kernel/core';
import { orderByPosition } from '#libs/kernel/projection';
import { BillingRunRow } from './billing-run-row.js';

const INVOICES_SHOWN = 100;

@Injectable()
export class BillingRunQueries {
  readonly listOrder = orderByPosition('billing_runs');

  constructor(
    @InjectRepository(BillingRunRow) private readonly runs: Repository<BillingRunRow>,
    private readonly pool: Pool,
  ) {}

  /** Returns a page of the workspace's billing runs, newest first, each with its totals and its first 100 invoices. */
  async list(
    workspaceId: string,
    { limit, offset, after }: ListPart,
  ): Promise<(BillingRunReport & { createdPosition: string })[]> {
    const runs = await this.runs.find({
      where: { workspaceId, ...(after ? { createdPosition: LessThan(after[0]) } : {}) },
      order: { createdPosition: 'DESC' },
      take: limit,
      skip: offset,
    });
    return this.reports(runs, INVOICES_SHOWN);
  }

  /** Returns a billing run of the workspace with all its invoices. */
  async find(workspaceId: string, runId: string): Promise<BillingRunReport | undefined> {
    const run = await this.runs.findOneBy({ workspaceId, runId });
    return run ? (await this.reports([run], null))[0] : undefined;
  }

  /** Adds the totals and the invoices to billing runs. With `shown`, each run has at most that many invoices. */
  private async reports(runs: readonly BillingRunRow[], shown: number | null) {
    const runIds = runs.map(({ runId }) => runId);
    const [totals, invoices] = await Promise.all([this.totals(runIds), this.firstInvoices(runIds, shown)]);
    return runs.map((run) => {
      const ofRun = totals.get(run.runId) ?? [];
      return {
        ...run,
        invoiceCount: ofRun.reduce((sum, { invoices: count }) => sum + count, 0),
        totals: ofRun.map(({ currency, total }) => ({
          currency,
          total: moneyString(new Decimal(total), currency),
        })),
        invoices: invoices.get(run.runId) ?? [],
      };
    });
  }

  private async totals(runIds: string[]) {
    const { rows } = await this.pool.query<{
      runId: string;
      currency: string;
      invoices: number;
      total: string;
    }>(
      `SELECT run_id AS "runId", currency, count(*)::int AS invoices, sum(total) AS total
       FROM read.billed_invoices WHERE run_id = ANY($1) AND total IS NOT NULL
       GROUP BY run_id, currency ORDER BY currency`,
      [runIds],
    );
    return Map.groupBy(rows, ({ runId }) => runId);
  }

  private async firstInvoices(runIds: string[], shown: number | null) {
    const { rows } = await this.pool.query<BillingRunInvoice & { runId: string }>(
      `SELECT i.run_id AS "runId", i.invoice_id AS "invoiceId", i.subscription_id AS "subscriptionId",
         i.customer_id AS "customerId", i.currency, i.total
       FROM unnest($1::text[]) AS run (id) CROSS JOIN LATERAL (
         SELECT * FROM read.billed_invoices
         WHERE run_id = run.id AND total IS NOT NULL ORDER BY position LIMIT $2
       ) i ORDER BY i.position`,
      [runIds, shown],
    );
    return Map.groupBy(rows, ({ runId }) => runId);
  }
}
