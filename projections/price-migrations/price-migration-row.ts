import { Entity, Index } from 'typeorm';
import type { PriceMigration } from '#libs/contexts/price-migrations';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'price_migrations' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class PriceMigrationRow extends SnapshotRow<PriceMigration> {}
