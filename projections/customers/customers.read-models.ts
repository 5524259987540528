import { defineReadModels } from '#libs/kernel/projection';
import { customersProjection } from './customers.projection.js';

export default defineReadModels({
  projections: [customersProjection],
  adapters: [],
});
