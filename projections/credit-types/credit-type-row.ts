import { Entity, Index } from 'typeorm';
import type { CreditType } from '#libs/contexts/credits';
import { SnapshotRow } from '#libs/kernel/projection';

@Entity({ schema: 'read', name: 'credit_types' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class CreditTypeRow extends SnapshotRow<CreditType> {}
