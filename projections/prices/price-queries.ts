import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Price } from '#libs/contexts/catalog';
import { SnapshotQueries } from '#libs/kernel/projection';
import { PriceRow } from './price-row.js';

@Injectable()
export class PriceQueries extends SnapshotQueries<PriceRow, Price> {
  constructor(@InjectRepository(PriceRow) rows: Repository<PriceRow>) {
    super(rows, { resource: 'price', where: { live: true }, shown: ({ state }) => state.price! });
  }
}
