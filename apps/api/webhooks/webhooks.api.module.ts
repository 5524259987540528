import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WebhooksModule } from '#libs/outputs/webhooks';
import { WebhooksReadModule } from '#projections/webhooks';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [CqrsModule, WebhooksModule, WebhooksReadModule],
  controllers: [WebhooksController],
})
export class WebhooksApiModule {}
