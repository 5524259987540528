import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/contexts/billing';
import { PausedQueueStore } from '#libs/kernel/saga';
import { ChangeWebhookHandler } from './commands/change-webhook.js';
import { CreateWebhookHandler } from './commands/create-webhook.js';
import { RotateSecretHandler } from './commands/rotate-secret.js';
import { Deliverer } from './delivery/deliverer.js';
import { DeliveriesEraser } from './delivery/deliveries-eraser.js';
import { DeliveryStore } from './delivery/delivery-store.js';
import { Redeliverer } from './delivery/redeliverer.js';
import { WebhookOutages } from './delivery/webhook-outages.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointStore } from './endpoint-store.js';
import { MessageDataMaker } from './public-events/message-data-maker.js';
import { ReminderDataMaker } from './public-events/reminder-data-maker.js';
import { targetPolicyProvider } from '#libs/kernel/outbound';
import { WebhooksProcess } from './webhooks.process.js';

/** The endpoints, their deliveries, and the process manager that sends them. */
@Module({
  imports: [CqrsModule, BillingModule],
  providers: [
    PausedQueueStore,
    WebhookOutages,
    EndpointStore,
    DeliveryStore,
    Deliverer,
    DeliveriesEraser,
    Redeliverer,
    MessageDataMaker,
    ReminderDataMaker,
    CreateWebhookHandler,
    ChangeWebhookHandler,
    RotateSecretHandler,
    WebhooksProcess,
    { provide: WebhookSender, useFactory: () => new WebhookSender() },
    targetPolicyProvider,
  ],
  exports: [DeliveriesEraser, DeliveryStore, Redeliverer, EndpointStore, WebhooksProcess],
})
export class WebhooksModule {}
