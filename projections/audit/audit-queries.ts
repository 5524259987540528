import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';
import { AuditRow } from './audit-row.js';
import { ACTIONS, resourceTypeOf } from './entry.js';

/** Which entries are wanted. What is left out does not limit them. */
export interface AuditFilter {
  /** Exactly this action, or, with a `*` at its end, those that begin so. */
  action?: string;
  resourceType?: string;
  resourceId?: string;
  /** The first and the last moment that count. */
  since?: Instant;
  until?: Instant;
}

@Injectable()
export class AuditQueries {
  readonly order: ListOrder<AuditRow> = {
    list: 'audit',
    parts: ['number'],
    keyOf: ({ position }) => [position],
  };

  constructor(@InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>) {}

  /**
   * A page of the workspace's entries, the one that was made last first: in the order of the log, since their times are of two
   * clocks where a sandbox was given one of its own.
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
      query.setParameters({ types: [...new Set((actions ?? ACTIONS).map(resourceTypeOf))] });
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

/** The actions that fit; undefined if all do. There are a few dozen, so that a beginning stands for a list of them. */
function actionsOf({ action, resourceType }: AuditFilter): readonly string[] | undefined {
  if (action === undefined && resourceType === undefined) return undefined;
  return ACTIONS.filter(
    (one) =>
      (resourceType === undefined || resourceTypeOf(one) === resourceType) &&
      (action === undefined || (action.endsWith('*') ? one.startsWith(action.slice(0, -1)) : one === action)),
  );
}

/**
 * The places of the newest entries among the newest of each action. An index has those of one action in order: whatever was done
 * rarely is found without passing what is done all the time.
 */
const newestOfEach = (conditions: string): string => `ARRAY(
  SELECT one.position FROM unnest(:actions::text[]) AS wanted (action) CROSS JOIN LATERAL (
    SELECT entry.position FROM read.audit entry WHERE ${conditions} AND entry.action = wanted.action
    ORDER BY entry.position DESC LIMIT :most
  ) one ORDER BY one.position DESC LIMIT :most)`;
