import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { License, LicenseStatus } from '#libs/contexts/licenses';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A license, active or not. */
@Entity({ schema: 'read', name: 'licenses' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'licenseTypeId', 'createdPosition'])
@Index(['workspaceId', 'status', 'createdPosition'])
export class LicenseRow implements License {
  @PrimaryColumn('text')
  licenseId: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  licenseTypeId: string;

  @Column('text')
  status: LicenseStatus;

  @InstantColumn()
  startedAt: Instant;

  @InstantColumn({ nullable: true })
  deactivatedAt: Instant | null;

  /** The position of the allocation event, by which the list is ordered. */
  @Column('bigint')
  createdPosition: string;
}
