import { defineReadModels } from '#libs/kernel/projection';
import { metricsProjection } from './metrics.projection.js';

export default defineReadModels({
  projections: [metricsProjection],
  adapters: [],
});
