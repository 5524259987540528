import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Repository } from 'typeorm';
import type { Price } from '#libs/contexts/catalog';
import { SnapshotQueries } from '#libs/kernel/projection';
import { PriceRow } from './price-row.js';

@Injectable()
export class PriceQueries extends SnapshotQueries<PriceRow, Price> {
  constructor(@InjectRepository(PriceRow) rows: Repository<PriceRow>) {
    super(rows, { resource: 'price', where: { live: true }, shownOf: ({ state }) => state.price! });
  }

  /** Returns the existing prices with these ids, in no particular order. */
  async findByIds(workspaceId: string, priceIds: readonly string[]): Promise<Price[]> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...priceIds]), live: true });
    return rows.map(({ state }) => state.price!);
  }
}
