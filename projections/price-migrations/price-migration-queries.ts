import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import type { OutcomeStatus } from '#libs/price-migrations';
import { MigrationOutcomeRow } from './migration-outcome-row.js';
import { PriceMigrationRow } from './price-migration-row.js';

@Injectable()
export class PriceMigrationQueries {
  constructor(
    @InjectRepository(PriceMigrationRow) private readonly migrations: Repository<PriceMigrationRow>,
    @InjectRepository(MigrationOutcomeRow) private readonly outcomes: Repository<MigrationOutcomeRow>,
  ) {}

  /** A page of the workspace's migrations, newest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<PriceMigrationRow[]> {
    return this.migrations.find({
      where: { accountId },
      order: { createdPosition: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
  }

  /** One migration; NotFound if it is not in the workspace. */
  async get(accountId: string, migrationId: string): Promise<PriceMigrationRow> {
    const row = await this.migrations.findOneBy({ accountId, id: migrationId });
    if (!row) throw NotFound.of('price migration', migrationId);
    return row;
  }

  /** A page of what became of its subscriptions, by their ids; of one status if given. */
  async outcomesOf(
    migrationId: string,
    status: OutcomeStatus | undefined,
    page: { limit: number; offset: number },
  ): Promise<MigrationOutcomeRow[]> {
    return this.outcomes.find({
      where: { migrationId, ...(status ? { status } : {}) },
      order: { subscriptionId: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
  }
}
