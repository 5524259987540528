import { LicenseTypeDirectory } from '#libs/contexts/licenses';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelLicenseTypes } from './priced-license-types.js';
import { pricesProjection } from './prices.projection.js';

export default defineReadModels({
  projections: [pricesProjection],
  adapters: [{ provide: LicenseTypeDirectory, useClass: ReadModelLicenseTypes }],
});
