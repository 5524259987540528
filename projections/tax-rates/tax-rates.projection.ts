import { snapshotProjection } from '#libs/kernel/projection';
import { taxRateDecider } from '#libs/contexts/taxes';
import { TaxRateRow } from './tax-rate-row.js';

/** Every tax rate, archived ones too: `GET /v1/tax-rates`. */
export const taxRatesProjection = snapshotProjection({
  name: 'tax-rates',
  version: 1,
  entity: TaxRateRow,
  decider: taxRateDecider,
  columns: () => ({}),
});
