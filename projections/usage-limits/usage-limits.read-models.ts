import { defineReadModels } from '#libs/kernel/projection';
import { usageLimitsProjection } from './usage-limits.projection.js';

export default defineReadModels({
  projections: [usageLimitsProjection],
  adapters: [],
});
