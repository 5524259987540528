import { defineReadModels } from '#libs/kernel/projection';
import { recurringRevenueProjection } from './recurring-revenue.projection.js';

export default defineReadModels({ projections: [recurringRevenueProjection], adapters: [] });
