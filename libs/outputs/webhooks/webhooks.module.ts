import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/contexts/billing';
import { PausedQueues } from '#libs/kernel/saga';
import { ChangeWebhookHandler } from './commands/change-webhook.js';
import { CreateWebhookHandler } from './commands/create-webhook.js';
import { RotateSecretHandler } from './commands/rotate-secret.js';
import { Deliverer } from './delivery/deliverer.js';
import { DeliveriesEraser } from './delivery/deliveries-eraser.js';
import { DeliveryStore } from './delivery/delivery-store.js';
import { Redelivery } from './delivery/redelivery.js';
import { Sender } from './delivery/sender.js';
import { Endpoints } from './endpoints.js';
import { MessageDataMaker } from './public-events/message-data-maker.js';
import { ReminderDataMaker } from './public-events/reminder-data-maker.js';
import { targetPolicyProvider } from '#libs/kernel/outbound';
import { WebhooksProcess } from './webhooks.process.js';

/** The endpoints, their deliveries, and the process manager that sends them. */
@Module({
  imports: [CqrsModule, BillingModule],
  providers: [
    PausedQueues,
    Endpoints,
    DeliveryStore,
    Deliverer,
    DeliveriesEraser,
    Redelivery,
    MessageDataMaker,
    ReminderDataMaker,
    CreateWebhookHandler,
    ChangeWebhookHandler,
    RotateSecretHandler,
    WebhooksProcess,
    { provide: Sender, useFactory: () => new Sender() },
    targetPolicyProvider,
  ],
  exports: [DeliveriesEraser, DeliveryStore, Redelivery, Endpoints, WebhooksProcess],
})
export class WebhooksModule {}
