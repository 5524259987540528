import { snapshotProjection } from '#libs/kernel/projection';
import { taxRateDecider } from '#libs/contexts/taxes';
import { TaxRateRow } from './tax-rate-row.js';

/** All tax rates, including archived ones, for `GET /v1/tax-rates`. */
export const taxRatesProjection = snapshotProjection({
  name: 'tax-rates',
  version: 1,
  entity: TaxRateRow,
  decider: taxRateDecider,
  columnsOf: () => ({}),
});
