export { ChangeWebhook } from './commands/change-webhook.js';
export { CreateWebhook } from './commands/create-webhook.js';
export { RotateSecret } from './commands/rotate-secret.js';
export {
  DELIVERY_STATUSES,
  DeliveryStore,
  type DeliveryAttempt,
  type Delivery,
  type DeliveryWithAttempts,
  type DeliveryStatus,
} from './delivery/delivery-store.js';
export { MAX_REPLAYED_DELIVERIES, Redeliverer } from './delivery/redeliverer.js';
export { pruneDeliveries } from './delivery/prune-deliveries.js';
export { presentDelivery } from './delivery/present-delivery.js';
export { EndpointStore } from './endpoint-store.js';
export type { DisableReason, WebhookDetails, WebhookEvent } from './events.js';
export { presentWebhook } from './present.js';
export { envelopeOf } from './public-events/envelope.js';
export { exampleEventNames, exampleDataOf } from './public-events/examples.js';
export { MessageDataMaker } from './public-events/message-data-maker.js';
export { webhookMessageOf, type WebhookMessage } from './public-events/messages.js';
export {
  ALL_EVENTS,
  DEFAULT_EVENTS,
  isSubscribable,
  publicEventNames,
  TEST_EVENT,
} from './public-events/names.js';
export { webhookDecider, type Webhook } from './webhook.js';
export { WebhooksModule } from './webhooks.module.js';
