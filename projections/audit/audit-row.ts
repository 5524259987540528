import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import type { Actor } from '#libs/kernel/domain';
import { InstantColumn } from '#libs/kernel/postgres';

/** An entry of the audit trail: an action by a person, an API key or the system. The hash of an entry covers the entry before it. */
@Entity({ schema: 'read', name: 'audit' })
@Index(['workspaceId', 'position'])
@Index(['workspaceId', 'createdAt'])
@Index(['workspaceId', 'resourceType', 'resourceId'])
@Index(['workspaceId', 'action', 'position'])
export class AuditRow {
  /** The number of the entry in the hash chain. All workspaces share one hash chain, which starts at 1 and has no gaps. */
  @PrimaryColumn('bigint')
  sequence: string;

  /** The id of the event that the entry describes. */
  @Column('text')
  id: string;

  @Column('text')
  workspaceId: string;

  /** The position of the event in the event log. Entries are ordered by the position of their event. */
  @Column('bigint')
  position: string;

  /** The time of the event by the workspace's clock. */
  @InstantColumn()
  createdAt: Instant;

  /** The name of the action, such as `invoice.opened`. The part before the dot is the resource type. */
  @Column('text')
  action: string;

  @Column('text')
  resourceType: string;

  @Column('text')
  resourceId: string;

  @Column('text')
  actorType: Actor['type'];

  /** The id of the user, API key or other actor that caused the event. */
  @Column('text')
  actorId: string;

  /** The id of the request that caused the event, directly or through other steps. */
  @Column('text')
  requestId: string;

  /** The fields of the event that the audit trail shows, as JSON text with exact amounts. */
  @Column('text')
  data: string;

  /** The SHA-256 digest of the event, in hex. */
  @Column('text')
  digest: string;

  /** The SHA-256 hash of the previous entry's hash and of `digest`, in hex. */
  @Column('text')
  hash: string;
}
