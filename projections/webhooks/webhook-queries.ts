import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import { WebhookRow } from './webhook-row.js';

@Injectable()
export class WebhookQueries {
  constructor(@InjectRepository(WebhookRow) private readonly rows: Repository<WebhookRow>) {}

  /** A page of the workspace's endpoints, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<WebhookRow[]> {
    return this.rows.find({
      where: { accountId, deleted: false },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
  }

  /** One endpoint; NotFound if it is not in the workspace or is deleted. */
  async get(accountId: string, webhookId: string): Promise<WebhookRow> {
    const row = await this.rows.findOneBy({ accountId, id: webhookId, deleted: false });
    if (!row) throw NotFound.of('webhook', webhookId);
    return row;
  }
}
