import { Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/projection';
import type { TaxRateRecord } from '#libs/taxes';

@Entity({ schema: 'read', name: 'tax_rates' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'id'])
export class TaxRateRow extends SnapshotRow<TaxRateRecord> {}
