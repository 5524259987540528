import { Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/kernel/projection';
import type { TaxRateRecord } from '#libs/contexts/taxes';

@Entity({ schema: 'read', name: 'tax_rates' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'id'])
export class TaxRateRow extends SnapshotRow<TaxRateRecord> {}
