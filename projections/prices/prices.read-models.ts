import { defineReadModels } from '#libs/kernel/projection';
import { pricesProjection } from './prices.projection.js';

export default defineReadModels({
  projections: [pricesProjection],
  adapters: [],
});
