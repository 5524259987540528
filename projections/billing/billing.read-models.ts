import { defineReadModels } from '#libs/kernel/projection';
import { billedInvoicesProjection } from './billed-invoices.projection.js';
import { billingRunsProjection } from './billing-runs.projection.js';

export default defineReadModels({
  projections: [billedInvoicesProjection, billingRunsProjection],
  adapters: [],
});
