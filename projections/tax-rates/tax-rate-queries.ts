import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SnapshotQueries } from '#libs/kernel/projection';
import type { TaxRateRecord } from '#libs/contexts/taxes';
import { TaxRateRow } from './tax-rate-row.js';

@Injectable()
export class TaxRateQueries extends SnapshotQueries<TaxRateRow, TaxRateRecord> {
  constructor(@InjectRepository(TaxRateRow) rows: Repository<TaxRateRow>) {
    super(rows, { resource: 'tax rate', shown: ({ state }) => state });
  }
}
