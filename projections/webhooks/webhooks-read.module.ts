import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookQueries } from './webhook-queries.js';
import { WebhookRow } from './webhook-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([WebhookRow])],
  providers: [WebhookQueries],
  exports: [WebhookQueries],
})
export class WebhooksReadModule {}
