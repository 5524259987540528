import { defineReadModels } from '#libs/kernel/projection';
import { approvalsProjection } from './approvals.projection.js';

export default defineReadModels({
  projections: [approvalsProjection],
  adapters: [],
});
