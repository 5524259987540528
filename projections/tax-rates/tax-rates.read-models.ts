import { defineReadModels } from '#libs/kernel/projection';
import { taxRatesProjection } from './tax-rates.projection.js';

export default defineReadModels({
  projections: [taxRatesProjection],
  adapters: [],
});
