import { defineReadModels } from '#libs/kernel/projection';
import { creditTypesProjection } from './credit-types.projection.js';

export default defineReadModels({
  projections: [creditTypesProjection],
  adapters: [],
});
