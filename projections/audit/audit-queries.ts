import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';
import { AuditRow } from './audit-row.js';
import { AUDIT_ACTIONS, resourceTypeOf } from './audit-entry.js';

/** The conditions that the returned audit entries meet. If a field is omitted, entries are not filtered by it. */
export interface AuditFilter {
  /** An exact action, or a prefix of actions if it ends with `*`. */
  action?: string;
  resourceType?: string;
  resourceId?: string;
  /** The earliest time of the returned entries. It is included. */
  since?: Instant;
  /** The latest time of the returned entries. It is included. */
  until?: Instant;
}

@Injectable()
export class AuditQueries {
  readonly listOrder: ListOrder<AuditRow> = {
    list: 'audit',
    keyParts: ['number'],
    keyOf: ({ position }) => [position],
  };

  constructor(@InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>) {}

  /**
   * Returns a page of the workspace's entries, newest first. Entries are ordered by position in the event log and not by time, because a
   * sandbox's clock can be set to an earlier time.
   */
  async list(workspaceId: string, filter: AuditFilter, page: ListPart): Promise<AuditRow[]> {
    const { resourceId, since, until } = filter;
    const actions = actionsOf(filter);
    if (actions?.length === 0) return [];
    const conditions = [
      'entry.workspace_id = :workspaceId',
      ...(since === undefined ? [] : ['entry.created_at >= :since']),
      ...(until === undefined ? [] : ['entry.created_at <= :until']),
      ...(page.after ? ['entry.position < :after'] : []),
    ];
    const query = this.rows.createQueryBuilder('entry').orderBy('entry.position', 'DESC');
    query.setParameters({ workspaceId, since, until, actions, resourceId, after: page.after?.[0] });
    if (resourceId !== undefined) {
      conditions.push('entry.resource_type = ANY(:types)', 'entry.resource_id = :resourceId');
      if (actions !== undefined) conditions.push('entry.action = ANY(:actions)');
      query.setParameters({ types: [...new Set((actions ?? AUDIT_ACTIONS).map(resourceTypeOf))] });
    } else if (actions !== undefined) {
      const most = page.limit + page.offset;
      query.where(
        `entry.workspace_id = :workspaceId AND entry.position = ANY(${newestOfEach(conditions.join(' AND '))})`,
      );
      return query.setParameters({ most }).limit(page.limit).offset(page.offset).getMany();
    }
    query.where(conditions.join(' AND '));
    return query.limit(page.limit).offset(page.offset).getMany();
  }
}

/**
 * Returns the actions that match the filter. Undefined if all actions match. There are only a few dozen actions, so a prefix is replaced by
 * the list of all actions that begin with it.
 */
function actionsOf({ action, resourceType }: AuditFilter): readonly string[] | undefined {
  if (action === undefined && resourceType === undefined) return undefined;
  return AUDIT_ACTIONS.filter(
    (one) =>
      (resourceType === undefined || resourceTypeOf(one) === resourceType) &&
      (action === undefined || (action.endsWith('*') ? one.startsWith(action.slice(0, -1)) : one === action)),
  );
}

/**
 * Selects the positions of the newest entries of each action, and then the newest of all these entries. The index contains the entries of
 * each action in order, so rare actions are found without reading the entries of frequent actions.
 */
const newestOfEach = (conditions: string): string => `ARRAY(
  SELECT one.position FROM unnest(:actions::text[]) AS wanted (action) CROSS JOIN LATERAL (
    SELECT entry.position FROM read.audit entry WHERE ${conditions} AND entry.action = wanted.action
    ORDER BY entry.position DESC LIMIT :most
  ) one ORDER BY one.position DESC LIMIT :most)`;
