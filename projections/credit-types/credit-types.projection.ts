import { creditTypeDecider } from '#libs/contexts/credits';
import { snapshotProjection } from '#libs/kernel/projection';
import { CreditTypeRow } from './credit-type-row.js';

/** All credit types, with their rates and allowances, for `GET /v1/credit-types`. */
export const creditTypesProjection = snapshotProjection({
  name: 'credit-types',
  version: 1,
  entity: CreditTypeRow,
  decider: creditTypeDecider,
  columnsOf: () => ({}),
});
