import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { prepared } from '#libs/kernel/postgres';
import { CreditTypes } from './credit-types.js';
import type { AddedAllowance, CreditType } from './credit-type.js';

/** An allowance with its credit type. */
export interface PlanAllowance {
  readonly creditType: CreditType;
  readonly allowance: AddedAllowance;
}

/** Finds the allowances of a plan. */
@Injectable()
export class AllowancePlans {
  constructor(
    private readonly pool: Pool,
    private readonly creditTypes: CreditTypes,
  ) {}

  /** Records that a plan may have an allowance. Call it before the allowance is added. */
  async add(workspaceId: string, planId: string, creditType: string): Promise<void> {
    await this.pool.query(
      prepared('INSERT INTO credits.allowance_plans VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        workspaceId,
        planId,
        creditType,
      ]),
    );
  }

  /** Returns the allowances of a plan, in the order of their credit types. They include every allowance whose event exists. */
  async of(workspaceId: string, planId: string): Promise<PlanAllowance[]> {
    const { rows } = await this.pool.query<{ type: string }>(
      prepared(
        `SELECT credit_type AS type FROM credits.allowance_plans
         WHERE workspace_id = $1 AND plan_id = $2 ORDER BY credit_type`,
        [workspaceId, planId],
      ),
    );
    const creditTypes = await Promise.all(
      rows.map(({ type }) => this.creditTypes.require(workspaceId, type)),
    );
    return creditTypes.flatMap((creditType) =>
      creditType.allowances
        .filter((allowance) => allowance.planId === planId)
        .map((allowance) => ({ creditType, allowance })),
    );
  }

  /** Returns those of the workspaces that may have an allowance. */
  async workspacesWithAny(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ workspaceId: string }>(
      prepared(
        `SELECT k.id AS "workspaceId" FROM unnest($1::text[]) AS k (id)
         WHERE EXISTS (SELECT FROM credits.allowance_plans p WHERE p.workspace_id = k.id)`,
        [workspaceIds],
      ),
    );
    return new Set(rows.map(({ workspaceId }) => workspaceId));
  }
}
