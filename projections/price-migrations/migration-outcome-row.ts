import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SubscriptionMoveOutcome, SubscriptionMoveStatus } from '#libs/contexts/price-migrations';

/** The outcome of a price migration for one subscription. */
@Entity({ schema: 'read', name: 'price_migration_outcomes' })
@Index(['migrationId', 'status', 'subscriptionId'])
export class MigrationOutcomeRow implements SubscriptionMoveOutcome {
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

  /** The code of the reason why the subscription was not moved. Null if it was moved. */
  @Column('text', { nullable: true })
  code: string | null;

  /** The text of the reason why the subscription was not moved. Null if it was moved. */
  @Column('text', { nullable: true })
  message: string | null;

  /** The invoice for the move to the other plan. Null if the move has no invoice. */
  @Column('text', { nullable: true })
  invoiceId: string | null;
}
