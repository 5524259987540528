import { defineReadModels } from '#libs/kernel/projection';
import { entitlementGrantsProjection } from './entitlement-grants.projection.js';

export default defineReadModels({
  projections: [entitlementGrantsProjection],
  adapters: [],
});
