import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { StateConflict } from '#libs/kernel/core';
import { preparedStatement } from '#libs/kernel/postgres';
import type { PriceSnapshot } from '#libs/rating';
import { CreditTypes } from './credit-types.js';
import type { AddedAllowance, CreditType } from './credit-type.js';

/** An allowance with its credit type. */
export interface PlanAllowance {
  readonly creditType: CreditType;
  readonly allowance: AddedAllowance;
}

/** Records and finds the credit types that have an allowance for a plan or a rate for a metric. */
@Injectable()
export class CreditTypeReferences {
  constructor(
    private readonly pool: Pool,
    private readonly creditTypes: CreditTypes,
  ) {}

  /**
   * Records that a plan may have an allowance, or that a metric may have a rate. Call this method before the allowance or the rate is
   * added.
   */
  async add(
    workspaceId: string,
    kind: 'plan' | 'metric',
    targetId: string,
    creditType: string,
  ): Promise<void> {
    await this.pool.query(
      preparedStatement(
        'INSERT INTO credits.credit_type_references VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [workspaceId, kind, targetId, creditType],
      ),
    );
  }

  /**
   * Returns the allowances of a plan, in the order of their credit types. Every allowance whose event is stored is found, because `add` was
   * called before the event was stored.
   */
  async allowancesOf(workspaceId: string, planId: string): Promise<PlanAllowance[]> {
    const creditTypes = await this.creditTypesOf(workspaceId, 'plan', [planId]);
    return creditTypes.flatMap((creditType) =>
      creditType.allowances
        .filter((allowance) => allowance.planId === planId)
        .map((allowance) => ({ creditType, allowance })),
    );
  }

  /** Returns the given workspaces that may have an allowance. */
  async workspacesWithAllowances(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ workspaceId: string }>(
      preparedStatement(
        `SELECT k.id AS "workspaceId" FROM unnest($1::text[]) AS k (id)
         WHERE EXISTS (SELECT FROM credits.credit_type_references r WHERE r.workspace_id = k.id AND r.kind = 'plan')`,
        [workspaceIds],
      ),
    );
    return new Set(rows.map(({ workspaceId }) => workspaceId));
  }

  /**
   * Refuses prices of metrics whose units cost credits (InvalidRequest, `metric_costs_credits`). Without this check, customers would pay
   * for usage in money and in credits. `field` is the field of the request that named the prices.
   */
  async requireMetricsWithoutRates(
    workspaceId: string,
    prices: readonly PriceSnapshot[],
    field: string,
  ): Promise<void> {
    const metered = prices.filter(({ metricId }) => metricId !== null);
    const metricIds = [...new Set(metered.map(({ metricId }) => metricId!))];
    if (metricIds.length === 0) return;
    for (const { creditType, rates } of await this.creditTypesOf(workspaceId, 'metric', metricIds)) {
      const rate = rates.find(({ metricId }) => metricIds.includes(metricId));
      const price = metered.find(({ metricId }) => metricId === rate?.metricId);
      if (!rate || !price) continue;
      const message = `has the price "${price.priceId}" on the metric "${rate.metricId}", whose units cost credits by the rate "${rate.rateId}" of the credit type "${creditType}"; remove the rate or the price`;
      throw new StateConflict('metric_costs_credits', `${field} ${message}`, [{ field, message }]);
    }
  }

  private async creditTypesOf(
    workspaceId: string,
    kind: 'plan' | 'metric',
    targetIds: readonly string[],
  ): Promise<CreditType[]> {
    const { rows } = await this.pool.query<{ type: string }>(
      preparedStatement(
        `SELECT DISTINCT credit_type AS type FROM credits.credit_type_references
         WHERE workspace_id = $1 AND kind = $2 AND target_id = ANY ($3::text[]) ORDER BY credit_type`,
        [workspaceId, kind, targetIds],
      ),
    );
    return Promise.all(rows.map(({ type }) => this.creditTypes.require(workspaceId, type)));
  }
}
