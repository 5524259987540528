import { snapshotProjection } from '#libs/kernel/projection';
import { webhookDecider } from '#libs/outputs/webhooks';
import { WebhookRow } from './webhook-row.js';

/** All webhook endpoints with their present state, for `GET /v1/webhooks`. */
export const webhooksProjection = snapshotProjection({
  name: 'webhooks',
  version: 2,
  entity: WebhookRow,
  decider: webhookDecider,
  columnsOf: ({ deleted }) => ({ deleted }),
});
