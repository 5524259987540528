import { defineReadModels } from '#libs/kernel/projection';
import { priceMigrationsProjection, migrationOutcomesProjection } from './price-migrations.projection.js';

export default defineReadModels({
  projections: [priceMigrationsProjection, migrationOutcomesProjection],
  adapters: [],
});
