import { Webhooks1700000001200 } from './migrations/1700000001200-webhooks.js';
import { WebhooksRetention1700000003412 } from './migrations/1700000003412-retention.js';
import { WebhookPauses1700000004012 } from './migrations/1700000004012-pauses.js';
import { RotatedSecrets1700000004040 } from './migrations/1700000004040-rotated-secrets.js';
import { Redeliveries1700000004041 } from './migrations/1700000004041-redeliveries.js';
import { DeliveriesInWorkspaceTime1700000004043 } from './migrations/1700000004043-workspace-time.js';
import { DeliveriesByEvent1700000005000 } from './migrations/1700000005000-deliveries-by-event.js';

export { ChangeWebhook } from './commands/change-webhook.js';
export { CreateWebhook } from './commands/create-webhook.js';
export { RotateSecret } from './commands/rotate-secret.js';
export {
  DELIVERY_STATUSES,
  DeliveryStore,
  type Attempt,
  type Delivery,
  type DeliveryReport,
  type DeliveryStatus,
} from './delivery/delivery-store.js';
export { MAX_REPLAYED, Redelivery } from './delivery/redelivery.js';
export { pruneDeliveries } from './delivery/prune-deliveries.js';
export { presentDelivery } from './delivery/present-delivery.js';
export { Endpoints } from './endpoints.js';
export type { DisableReason, WebhookDetails, WebhookEvent } from './events.js';
export { presentWebhook } from './present.js';
export { envelopeOf } from './public-events/envelope.js';
export { EXAMPLE_EVENTS, exampleOf, type ExampleEvent } from './public-events/examples.js';
export { MessageData } from './public-events/message-data.js';
export { messageOf, type Message } from './public-events/messages.js';
export {
  ALL_EVENTS,
  DEFAULT_EVENTS,
  isSubscribable,
  PUBLIC_EVENTS,
  TEST_EVENT,
} from './public-events/names.js';
export { webhookDecider, type Webhook } from './webhook.js';
export { WebhooksModule } from './webhooks.module.js';
export { WebhooksProcess } from './webhooks.process.js';
export const migrations = [
  Webhooks1700000001200,
  WebhooksRetention1700000003412,
  WebhookPauses1700000004012,
  RotatedSecrets1700000004040,
  Redeliveries1700000004041,
  DeliveriesInWorkspaceTime1700000004043,
  DeliveriesByEvent1700000005000,
];
