import { Column, Entity, Index } from 'typeorm';
import type { PriceState } from '#libs/contexts/catalog';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'prices' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
@Index(['licenseTypeIds'])
export class PriceRow extends SnapshotRow<PriceState> {
  /** Tells whether the price is not deleted. */
  @Column('boolean')
  live: boolean;

  /** The license types to which the versions of the price refer. */
  @Column('jsonb')
  licenseTypeIds: string[];
}
