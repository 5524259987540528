import { defineReadModels } from '#libs/kernel/projection';
import { paymentsProjection } from './payments.projection.js';

export default defineReadModels({ projections: [paymentsProjection], adapters: [] });
