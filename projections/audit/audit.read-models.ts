import { defineReadModels } from '#libs/kernel/projection';
import { auditProjection } from './audit.projection.js';

export default defineReadModels({
  projections: [auditProjection],
  adapters: [],
});
