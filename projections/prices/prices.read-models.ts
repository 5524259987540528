import { LicenseTypeDirectory } from '#libs/contexts/licenses';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelLicenseTypeDirectory } from './read-model-license-type-directory.js';
import { pricesProjection } from './prices.projection.js';

export default defineReadModels({
  projections: [pricesProjection],
  adapters: [{ provide: LicenseTypeDirectory, useClass: ReadModelLicenseTypeDirectory }],
});
