import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { Settings } from '#libs/kernel/system';
import { WebhooksModule } from '#libs/outputs/webhooks';
import { WebhooksReadModule } from '#projections/webhooks';
import { documentWebhooks } from './document-webhooks.js';
import { WebhooksController } from './webhooks.controller.js';

documentWebhooks();

@Module({})
export class WebhooksApiModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: WebhooksApiModule,
      imports: [CqrsModule, WebhooksModule.forRoot(settings), WebhooksReadModule],
      controllers: [WebhooksController],
    };
  }
}
