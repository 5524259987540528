import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Not, Raw, Repository } from 'typeorm';
import type { Plan } from '#libs/contexts/catalog';
import { SnapshotQueries } from '#libs/kernel/projection';
import { PlanRow } from './plan-row.js';

/** The filter selects plans whose published version is public and has the currency `offeredInCurrency`. */
export interface PlanFilter {
  /** The currency of the published version. */
  readonly offeredInCurrency: string;
  /** A plan to leave out. */
  readonly exceptPlanId?: string | undefined;
}

const IS_OFFERED =
  '$.plan.versions[*] ? (@.version == $published && @.visibility == "public" && @.currency == $currency)';

@Injectable()
export class PlanQueries extends SnapshotQueries<PlanRow, Plan, PlanFilter> {
  constructor(@InjectRepository(PlanRow) rows: Repository<PlanRow>) {
    super(rows, { resource: 'plan', where: { live: true }, conditions, shownOf: ({ state }) => state.plan! });
  }

  /** Returns the names of these plans, by id. Plans that are deleted or not in the workspace are omitted. */
  async namesById(workspaceId: string, planIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...planIds]), live: true });
    return new Map(rows.map(({ id, state }) => [id, state.plan!.versions.at(-1)!.name]));
  }
}

function conditions({ offeredInCurrency: offeredIn, exceptPlanId: except }: PlanFilter) {
  const isOffered = Raw(
    (state) =>
      `jsonb_path_exists(${state}, '${IS_OFFERED}', jsonb_build_object(
         'published', ${state} -> 'plan' -> 'publishedVersion', 'currency', CAST(:offeredIn AS text)))`,
    { offeredIn },
  );
  return { state: isOffered, ...(except === undefined ? {} : { id: Not(except) }) };
}
