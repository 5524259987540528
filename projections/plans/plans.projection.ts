import { planDecider } from '#libs/contexts/catalog';
import { snapshotProjection } from '#libs/kernel/projection';
import { PlanRow } from './plan-row.js';

/** Every plan with its present state: `GET /v1/plans`. */
export const plansProjection = snapshotProjection({
  name: 'plans',
  version: 4,
  entity: PlanRow,
  decider: planDecider,
  columns: ({ plan }) => ({ live: plan !== null && !plan.deleted }),
});
