import { Column, Entity, Index } from 'typeorm';
import type { Balance } from '#libs/contexts/balances';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'balances' })
@Index(['workspaceId', 'customerId'])
export class BalanceRow extends SnapshotRow<Balance> {
  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;
}
