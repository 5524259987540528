import { defineReadModels } from '#libs/kernel/projection';
import { webhooksProjection } from './webhooks.projection.js';

export default defineReadModels({
  projections: [webhooksProjection],
  adapters: [],
});
