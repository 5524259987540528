import { defineApi } from '../http/index.js';
import { MetricsApiModule } from './metrics.api.module.js';

export default defineApi({
  module: MetricsApiModule,
  tags: [{ name: 'Metrics', group: 'catalog', description: 'Metrics compute quantities from usage events.' }],
});
