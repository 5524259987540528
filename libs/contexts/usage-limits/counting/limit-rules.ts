import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Pool } from 'pg';
import { Catalog } from '#libs/contexts/catalog';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { inTransaction, preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { raiseGateVersion, UsageMeters, type MetricDefinition } from '#libs/usage';
import { usageLimitDecider } from '../limits/usage-limit.js';
import { canHaveLimits, type LimitRule } from './limit-rule.js';

/** The limits that apply to the requested customers of a workspace. */
export interface RulesInForce {
  /** The version of the workspace's limit rules. The usage log refuses usage that was prepared with another version of the rules. */
  readonly version: string;
  limitsOf(customerId: string): readonly LimitRule[];
}

/** The limit rules of a workspace that this process keeps in memory. */
interface KnownRules {
  readonly version: string;
  /** The rules that apply to every customer of the workspace. */
  readonly general: readonly LimitRule[];
  /** True if some customers have limits of their own. */
  readonly hasOwn: boolean;
  readonly ofCustomers: LRUCache<string, readonly LimitRule[]>;
}

interface RulesRow {
  version: string;
  rules: LimitRule[];
  hasOwn: boolean;
}

/** The maximum number of workspaces whose limit rules are kept in memory. */
const MAX_WORKSPACES = 5_000;
/** The maximum number of customers of one workspace whose limit rules are kept in memory. */
const MAX_CUSTOMERS = 10_000;

/**
 * Manages the limits that are in force, in the table `limits.rules`. The rows of `limits.rules` are computed from the streams of limits and
 * metrics. A limit takes effect in all processes when its row is written, because the usage log refuses usage prepared with other rules.
 */
@Injectable()
export class LimitRules {
  private readonly known = new LRUCache<string, KnownRules>({ max: MAX_WORKSPACES });

  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly catalog: Catalog,
    private readonly meters: UsageMeters,
  ) {}

  /**
   * Returns the limit rules for the given customers, usually from memory. Rules from memory may be outdated. The usage log compares their
   * version with the stored version, and refuses the usage if the versions differ.
   */
  async rulesInForceFor(workspaceId: string, customerIds: ReadonlySet<string>): Promise<RulesInForce> {
    const known = this.known.get(workspaceId);
    if (known && !known.hasOwn) return { version: known.version, limitsOf: () => known.general };
    const own = new Map<string, readonly LimitRule[]>();
    const unknown: string[] = [];
    for (const customerId of customerIds) {
      const rules = known?.ofCustomers.get(customerId);
      if (rules) own.set(customerId, rules);
      else unknown.push(customerId);
    }
    if (known && unknown.length === 0) return rulesInForce(known, own);
    const { version, rules, hasOwn } = await this.read(workspaceId, unknown);
    if (known && version !== known.version) {
      // The rules of other customers in memory are older than these, so they are forgotten.
      this.forget(workspaceId);
      return this.rulesInForceFor(workspaceId, customerIds);
    }
    const current = known ?? {
      version,
      hasOwn,
      general: rules.filter(({ customerId }) => customerId === null),
      ofCustomers: new LRUCache<string, readonly LimitRule[]>({ max: MAX_CUSTOMERS }),
    };
    if (!known) this.known.set(workspaceId, current);
    for (const customerId of unknown) {
      const ofCustomer = rules.filter((rule) => rule.customerId === customerId);
      own.set(customerId, ofCustomer);
      current.ofCustomers.set(customerId, ofCustomer);
    }
    return rulesInForce(current, own);
  }

  /** Removes the limit rules of a workspace from memory, because they are outdated. */
  forget(workspaceId: string): void {
    this.known.delete(workspaceId);
  }

  /**
   * Puts a limit in force with the terms in its stream. If the limit is deleted, it is no longer in force afterwards. Usage that is stored
   * after the call must obey the limit. If the limit is already in force with these terms, nothing changes.
   */
  async putInForce(workspaceId: string, limitId: string): Promise<void> {
    await this.warmUp(workspaceId, limitId);
    await inTransaction(this.pool, async (tx) => {
      // The lock is taken before the read, so that the newest state is written last.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `usage limit ${workspaceId} ${limitId}`,
      ]);
      const wanted = await this.wanted(workspaceId, limitId);
      const stored = await storedRule(tx, workspaceId, limitId);
      if (isDeepStrictEqual(stored, wanted?.rule)) return;
      if (!wanted)
        await tx.query('DELETE FROM limits.rules WHERE workspace_id = $1 AND limit_id = $2', [
          workspaceId,
          limitId,
        ]);
      else
        await tx.query(
          `INSERT INTO limits.rules (workspace_id, limit_id, customer_id, metric_id, rule) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (workspace_id, limit_id) DO UPDATE SET rule = excluded.rule`,
          [
            workspaceId,
            limitId,
            wanted.customerId,
            wanted.metricId,
            wanted.rule && JSON.stringify(wanted.rule),
          ],
        );
      // This statement blocks the storage of usage until the commit, so it comes last.
      await raiseGateVersion(tx, workspaceId);
    });
    this.forget(workspaceId);
  }

  /**
   * Brings the meter of the limit's metric up to date before the limit is in force. If the meter were outdated, the first usage under the
   * limit would wait for it.
   */
  private async warmUp(workspaceId: string, limitId: string): Promise<void> {
    const wanted = await this.wanted(workspaceId, limitId);
    if (!wanted?.rule) return;
    const stored = await storedRule(this.pool, workspaceId, limitId);
    if (!isDeepStrictEqual(stored, wanted.rule)) await this.meters.foldNewEvents(wanted.rule.metric);
  }

  /** Tells whether a limit is in force with the terms in its stream and the present version of its metric. */
  async isUpToDate(workspaceId: string, limitId: string): Promise<boolean> {
    const stored = await storedRule(this.pool, workspaceId, limitId);
    return isDeepStrictEqual(stored, (await this.wanted(workspaceId, limitId))?.rule);
  }

  /** Applies the present version of a metric to its limits. */
  async putMetricInForce(workspaceId: string, metricId: string): Promise<void> {
    const { rows } = await this.pool.query<{ limitId: string }>(
      'SELECT limit_id AS "limitId" FROM limits.rules WHERE workspace_id = $1 AND metric_id = $2 ORDER BY 1',
      [workspaceId, metricId],
    );
    for (const { limitId } of rows) await this.putInForce(workspaceId, limitId);
  }

  /**
   * Returns the row that a limit should have in `limits.rules`. Undefined if the limit is deleted. The `rule` in the row is null while the
   * limit's metric is deleted or of type `sql`.
   */
  private async wanted(
    workspaceId: string,
    limitId: string,
  ): Promise<{ customerId: string | null; metricId: string; rule: LimitRule | null } | undefined> {
    const state = await this.aggregates.load(usageLimitDecider, aggregateId(workspaceId, limitId));
    if (!state || state.deleted) return undefined;
    const { customerId, per, action, warnAt, metricId, limit } = state;
    const metric = await this.metricInForce(workspaceId, metricId);
    if (!metric || !canHaveLimits(metric)) return { customerId, metricId, rule: null };
    const rule: LimitRule = { limitId, customerId, limit, per, action, warnAt, metric };
    // Converts the rule to the form in which Postgres stores it, so that the two can be compared.
    return { customerId, metricId, rule: JSON.parse(JSON.stringify(rule)) as LimitRule };
  }

  private async metricInForce(workspaceId: string, metricId: string): Promise<MetricDefinition | undefined> {
    try {
      await this.catalog.requireMetric(workspaceId, metricId);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
    return this.catalog.metricDefinition(workspaceId, metricId);
  }

  private async read(workspaceId: string, customerIds: readonly string[]): Promise<RulesRow> {
    const { rows } = await this.pool.query<RulesRow>(
      preparedStatement(
        `SELECT
           coalesce((SELECT version FROM usage.gate_versions WHERE workspace_id = $1), 0)::text AS version,
           (SELECT coalesce(jsonb_agg(rule ORDER BY limit_id), '[]') FROM limits.rules
            WHERE workspace_id = $1 AND rule IS NOT NULL AND (customer_id IS NULL OR customer_id = ANY($2::text[]))) AS rules,
           EXISTS (SELECT FROM limits.rules WHERE workspace_id = $1 AND customer_id IS NOT NULL) AS "hasOwn"`,
        [workspaceId, customerIds],
      ),
    );
    return rows[0]!;
  }
}

/** Returns the stored rule of a limit. Undefined if the limit has no row in `limits.rules`. */
async function storedRule(
  db: Queryable,
  workspaceId: string,
  limitId: string,
): Promise<LimitRule | null | undefined> {
  const { rows } = await db.query<{ rule: LimitRule | null }>(
    'SELECT rule FROM limits.rules WHERE workspace_id = $1 AND limit_id = $2',
    [workspaceId, limitId],
  );
  return rows[0]?.rule;
}

/** Returns all limits with a row in `limits.rules` or in the API's read model, of one workspace or of all workspaces. */
export async function readAllLimitIds(
  db: Queryable,
  workspaceId: string | undefined,
): Promise<{ workspaceId: string; limitId: string }[]> {
  const { rows } = await db.query<{ workspaceId: string; limitId: string }>(
    `SELECT workspace_id AS "workspaceId", limit_id AS "limitId" FROM (
       SELECT workspace_id, limit_id FROM limits.rules
       UNION SELECT workspace_id, id FROM read.usage_limits WHERE NOT deleted
     ) l WHERE $1::text IS NULL OR workspace_id = $1 ORDER BY 1, 2`,
    [workspaceId ?? null],
  );
  return rows;
}

function rulesInForce(
  { version, general }: KnownRules,
  own: ReadonlyMap<string, readonly LimitRule[]>,
): RulesInForce {
  return { version, limitsOf: (customerId) => [...general, ...(own.get(customerId) ?? [])] };
}
