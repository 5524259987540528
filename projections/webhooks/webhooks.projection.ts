import { snapshotProjection } from '#libs/kernel/projection';
import { webhookDecider } from '#libs/outputs/webhooks';
import { WebhookRow } from './webhook-row.js';

/** Every webhook endpoint with its present state: `GET /v1/webhooks`. */
export const webhooksProjection = snapshotProjection({
  name: 'webhooks',
  version: 2,
  entity: WebhookRow,
  decider: webhookDecider,
  columns: ({ deleted }) => ({ deleted }),
});
