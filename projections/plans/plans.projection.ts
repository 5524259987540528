import { planDecider } from '#libs/contexts/catalog';
import { snapshotProjection } from '#libs/kernel/projection';
import { PlanRow } from './plan-row.js';

/** All plans with their present state, for `GET /v1/plans`. */
export const plansProjection = snapshotProjection({
  name: 'plans',
  version: 4,
  entity: PlanRow,
  decider: planDecider,
  columnsOf: ({ plan }) => ({ live: plan !== null && !plan.deleted }),
});
