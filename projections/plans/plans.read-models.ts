import { defineReadModels } from '#libs/kernel/projection';
import { plansProjection } from './plans.projection.js';

export default defineReadModels({
  projections: [plansProjection],
  adapters: [],
});
