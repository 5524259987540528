import { defineReadModels } from '#libs/kernel/projection';
import { invoicesProjection } from './invoices.projection.js';

export default defineReadModels({
  projections: [invoicesProjection],
  adapters: [],
});
