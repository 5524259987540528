import { Column, Entity, Index } from 'typeorm';
import type { Wallet } from '#libs/contexts/credits';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'wallets' })
@Index(['workspaceId', 'customerId', 'creditType'])
export class WalletRow extends SnapshotRow<Wallet> {
  @Column('text')
  customerId: string;

  @Column('text')
  creditType: string;
}
