import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import { CustomerRow } from './customer-row.js';

@Injectable()
export class CustomerQueries {
  constructor(@InjectRepository(CustomerRow) private readonly rows: Repository<CustomerRow>) {}

  /** A page of the workspace's customers, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<CustomerRow[]> {
    return this.rows.find({
      where: { accountId, deleted: false },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
  }

  /** Throws NotFound if one of these customers is not in the workspace or is deleted, naming it. */
  async requireAll(accountId: string, customerIds: readonly string[]): Promise<void> {
    const rows = await this.rows.find({
      select: { stream: true, id: true },
      where: { accountId, id: In([...customerIds]), deleted: false },
    });
    const known = new Set(rows.map(({ id }) => id));
    const missing = customerIds.find((id) => !known.has(id));
    if (missing !== undefined) throw NotFound.of('customer', missing);
  }

  /** One customer; NotFound if it is not in the workspace or is deleted. */
  async get(accountId: string, customerId: string): Promise<CustomerRow> {
    const row = await this.rows.findOneBy({ accountId, id: customerId, deleted: false });
    if (!row) throw NotFound.of('customer', customerId);
    return row;
  }
}
