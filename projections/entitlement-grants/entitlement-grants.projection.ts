import { entitlementGrantDecider } from '#libs/contexts/entitlements';
import { snapshotProjection } from '#libs/kernel/projection';
import { EntitlementGrantRow } from './entitlement-grant-row.js';

/** All entitlement grants, for `GET /v1/customers/:id/entitlement-grants`. */
export const entitlementGrantsProjection = snapshotProjection({
  name: 'entitlement-grants',
  version: 1,
  entity: EntitlementGrantRow,
  decider: entitlementGrantDecider,
  columnsOf: ({ customerId, removed }) => ({ customerId, removed }),
});
