import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, MoreThan, Repository } from 'typeorm';
import { NotFound, type ListOrder, type ListPart } from '#libs/kernel/core';
import type { OutcomeStatus } from '#libs/contexts/price-migrations';
import { byPosition } from '#libs/kernel/projection';
import { MigrationOutcomeRow } from './migration-outcome-row.js';
import { PriceMigrationRow } from './price-migration-row.js';

@Injectable()
export class PriceMigrationQueries {
  readonly order = byPosition('price_migrations');
  readonly outcomeOrder: ListOrder<MigrationOutcomeRow> = {
    list: 'outcomes',
    parts: ['text'],
    keyOf: ({ subscriptionId }) => [subscriptionId],
  };

  constructor(
    @InjectRepository(PriceMigrationRow) private readonly migrations: Repository<PriceMigrationRow>,
    @InjectRepository(MigrationOutcomeRow) private readonly outcomes: Repository<MigrationOutcomeRow>,
  ) {}

  /** A page of the workspace's migrations, newest first. */
  async list(workspaceId: string, { limit, offset, after }: ListPart): Promise<PriceMigrationRow[]> {
    return this.migrations.find({
      where: { workspaceId, ...(after ? { createdPosition: LessThan(after[0]) } : {}) },
      order: { createdPosition: 'DESC' },
      take: limit,
      skip: offset,
    });
  }

  /** One migration; NotFound if it is not in the workspace. */
  async get(workspaceId: string, migrationId: string): Promise<PriceMigrationRow> {
    const row = await this.migrations.findOneBy({ workspaceId, id: migrationId });
    if (!row) throw NotFound.of('price migration', migrationId);
    return row;
  }

  /** A page of what became of its subscriptions, by their ids; of one status if given. */
  async outcomesOf(
    migrationId: string,
    status: OutcomeStatus | undefined,
    { limit, offset, after }: ListPart,
  ): Promise<MigrationOutcomeRow[]> {
    return this.outcomes.find({
      where: {
        migrationId,
        ...(status ? { status } : {}),
        ...(after ? { subscriptionId: MoreThan(after[0]) } : {}),
      },
      order: { subscriptionId: 'ASC' },
      take: limit,
      skip: offset,
    });
  }
}
