import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import type { ListOrder, ListPart } from '#libs/kernel/core';
import type { SubscriptionMoveStatus, PriceMigration } from '#libs/contexts/price-migrations';
import { SnapshotQueries } from '#libs/kernel/projection';
import { MigrationOutcomeRow } from './migration-outcome-row.js';
import { PriceMigrationRow } from './price-migration-row.js';

@Injectable()
export class PriceMigrationQueries extends SnapshotQueries<PriceMigrationRow, PriceMigration> {
  readonly outcomeOrder: ListOrder<MigrationOutcomeRow> = {
    list: 'outcomes',
    keyParts: ['text'],
    keyOf: ({ subscriptionId }) => [subscriptionId],
  };

  constructor(
    @InjectRepository(PriceMigrationRow) migrations: Repository<PriceMigrationRow>,
    @InjectRepository(MigrationOutcomeRow) private readonly outcomes: Repository<MigrationOutcomeRow>,
  ) {
    super(migrations, { resource: 'price migration', newestFirst: true, shownOf: ({ state }) => state });
  }

  /**
   * Returns a page of the outcomes of a price migration, in order of subscription id. If `status` is given, returns only outcomes with this
   * status.
   */
  async outcomesOf(
    migrationId: string,
    status: SubscriptionMoveStatus | undefined,
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
