import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Price } from '#libs/catalog';
import { NotFound } from '#libs/core';
import { PriceRow } from './price-row.js';

@Injectable()
export class PriceQueries {
  constructor(@InjectRepository(PriceRow) private readonly rows: Repository<PriceRow>) {}

  /** A page of the workspace's prices, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<Price[]> {
    const rows = await this.rows.find({
      where: { accountId, live: true },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(({ state }) => state.price!);
  }

  /** One price; NotFound if it is not in the workspace or is deleted. */
  async get(accountId: string, priceId: string): Promise<Price> {
    const row = await this.rows.findOneBy({ accountId, id: priceId, live: true });
    if (!row) throw NotFound.of('price', priceId);
    return row.state.price!;
  }
}
