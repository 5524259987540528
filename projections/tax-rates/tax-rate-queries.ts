import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import type { TaxRateRecord } from '#libs/taxes';
import { TaxRateRow } from './tax-rate-row.js';

@Injectable()
export class TaxRateQueries {
  constructor(@InjectRepository(TaxRateRow) private readonly rows: Repository<TaxRateRow>) {}

  /** A page of the workspace's tax rates, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<TaxRateRecord[]> {
    const rows = await this.rows.find({
      where: { accountId },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(({ state }) => state);
  }

  /** One tax rate; NotFound if it is not in the workspace. */
  async get(accountId: string, taxRateId: string): Promise<TaxRateRecord> {
    const row = await this.rows.findOneBy({ accountId, id: taxRateId });
    if (!row) throw NotFound.of('tax rate', taxRateId);
    return row.state;
  }
}
