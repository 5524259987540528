import { defineApi } from '../http/index.js';
import { ExportedUsageLimitView } from './usage-limit.dto.js';
import { UsageLimitsApiModule } from './usage-limits.api.module.js';
import { usageLimitWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: UsageLimitsApiModule,
  tags: [
    {
      name: 'Usage limits',
      group: 'customers',
      description:
        'Limits on the quantity that customers may use in a time span, and the quantity that they have used.',
    },
  ],
  webhooks: usageLimitWebhooks,
  customerData: { usageLimits: ExportedUsageLimitView },
});
