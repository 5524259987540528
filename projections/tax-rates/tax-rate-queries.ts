import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Repository } from 'typeorm';
import { SnapshotQueries } from '#libs/kernel/projection';
import type { TaxRateRecord } from '#libs/contexts/taxes';
import { TaxRateRow } from './tax-rate-row.js';

@Injectable()
export class TaxRateQueries extends SnapshotQueries<TaxRateRow, TaxRateRecord> {
  constructor(@InjectRepository(TaxRateRow) rows: Repository<TaxRateRow>) {
    super(rows, { resource: 'tax rate', shownOf: ({ state }) => state });
  }

  /** Returns the tax rates with these ids that exist, in no particular order. */
  async findByIds(workspaceId: string, taxRateIds: readonly string[]): Promise<TaxRateRecord[]> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...taxRateIds]) });
    return rows.map(({ state }) => state);
  }
}
