import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import type { Actor } from '#libs/kernel/domain';
import { InstantColumn } from '#libs/kernel/postgres';

/** An entry of the audit trail: an action by somebody, or by the system. Its hash covers the entry before it. */
@Entity({ schema: 'read', name: 'audit' })
@Index(['workspaceId', 'position'])
@Index(['workspaceId', 'createdAt'])
@Index(['workspaceId', 'resourceType', 'resourceId'])
@Index(['workspaceId', 'action', 'position'])
export class AuditRow {
  /** The number of the entry in the chain. All workspaces share one chain, which starts at 1 and has no gaps. */
  @PrimaryColumn('bigint')
  sequence: string;

  /** The event's id. */
  @Column('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The position of the event in the log. It sets the order of the entries. */
  @Column('bigint')
  position: string;

  /** The time of the workspace's clock at the event. */
  @InstantColumn()
  createdAt: Instant;

  @Column('text')
  action: string;

  @Column('text')
  resourceType: string;

  @Column('text')
  resourceId: string;

  @Column('text')
  actorType: Actor['type'];

  @Column('text')
  actorId: string;

  /** The request that caused the event, directly or through other steps. */
  @Column('text')
  requestId: string;

  /** The shown fields of the event, as JSON text with exact amounts. */
  @Column('text')
  data: string;

  /** SHA-256 of the event, in hex. */
  @Column('text')
  digest: string;

  /** SHA-256 of the previous entry's hash and of `digest`, in hex. */
  @Column('text')
  hash: string;
}
