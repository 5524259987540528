import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SnapshotQueries } from '#libs/kernel/projection';
import { WebhookRow } from './webhook-row.js';

@Injectable()
export class WebhookQueries extends SnapshotQueries<WebhookRow, WebhookRow> {
  constructor(@InjectRepository(WebhookRow) rows: Repository<WebhookRow>) {
    super(rows, { resource: 'webhook', where: { deleted: false }, shownOf: (row) => row });
  }
}
