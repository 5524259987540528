import { Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/kernel/projection';
import type { TaxRateRecord } from '#libs/contexts/taxes';

@Entity({ schema: 'read', name: 'tax_rates' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class TaxRateRow extends SnapshotRow<TaxRateRecord> {}
