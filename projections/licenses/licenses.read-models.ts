import { defineReadModels } from '#libs/kernel/projection';
import { licensesProjection } from './licenses.projection.js';

export default defineReadModels({
  projections: [licensesProjection],
  adapters: [],
});
