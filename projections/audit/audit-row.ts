import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import type { Actor } from '#libs/kernel/domain';
import { InstantColumn } from '#libs/kernel/postgres';

/** One thing that somebody did, or that happened, chained to the one before it. */
@Entity({ schema: 'read', name: 'audit' })
@Index(['workspaceId', 'position'])
@Index(['workspaceId', 'createdAt'])
@Index(['workspaceId', 'resourceType', 'resourceId'])
@Index(['workspaceId', 'action', 'position'])
export class AuditRow {
  /** The entry's number in the chain, which is one for all workspaces: from 1, without a gap. */
  @PrimaryColumn('bigint')
  sequence: string;

  /** The event's id. */
  @Column('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The event's place in the log: the order in which entries were made. */
  @Column('bigint')
  position: string;

  /** Business time: the workspace's clock when it happened. */
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

  /** The request that led to it, through however many steps. */
  @Column('text')
  requestId: string;

  /** What is worth knowing of it, as JSON text, in which amounts are exact. */
  @Column('text')
  data: string;

  /** SHA-256 of the event that it tells of, in hex. */
  @Column('text')
  digest: string;

  /** SHA-256 of the hash of the entry before it and of `digest`, in hex. */
  @Column('text')
  hash: string;
}
