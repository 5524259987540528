import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { MigrationOutcome, SubscriptionMoveStatus } from '#libs/contexts/price-migrations';

/** The outcome of a price migration for one subscription. */
@Entity({ schema: 'read', name: 'price_migration_outcomes' })
@Index(['migrationId', 'status', 'subscriptionId'])
export class MigrationOutcomeRow implements MigrationOutcome {
  @PrimaryColumn('text')
  migrationId: string;

  @PrimaryColumn('text')
  subscriptionId: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  status: SubscriptionMoveStatus;

  @Column('text', { nullable: true })
  code: string | null;

  @Column('text', { nullable: true })
  message: string | null;

  @Column('text', { nullable: true })
  invoiceId: string | null;
}
