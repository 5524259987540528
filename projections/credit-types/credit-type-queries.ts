import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { CreditType } from '#libs/contexts/credits';
import { SnapshotQueries } from '#libs/kernel/projection';
import { CreditTypeRow } from './credit-type-row.js';

@Injectable()
export class CreditTypeQueries extends SnapshotQueries<CreditTypeRow, CreditType> {
  constructor(@InjectRepository(CreditTypeRow) rows: Repository<CreditTypeRow>) {
    super(rows, { resource: 'credit type', shownOf: ({ state }) => state });
  }

  /** Returns all credit types of a workspace, the oldest first. */
  async allCreditTypes(workspaceId: string): Promise<CreditType[]> {
    const rows = await this.rows.find({ where: { workspaceId }, order: { createdPosition: 'ASC' } });
    return rows.map(({ state }) => state);
  }
}
