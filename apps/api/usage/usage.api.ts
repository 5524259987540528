import { defineApi } from '../http/index.js';
import { ExportedUsageEventView } from './usage-event.dto.js';
import { UsageApiModule } from './usage.api.module.js';
import { usageWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: UsageApiModule,
  tags: [{ name: 'Usage events', group: 'usage', description: 'Usage events record what customers used.' }],
  webhooks: usageWebhooks,
  customerData: { usageEvents: ExportedUsageEventView },
});
