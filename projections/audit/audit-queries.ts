import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Instant } from '#libs/core';
import { AuditRow } from './audit-row.js';

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
  constructor(@InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>) {}

  /**
   * A page of the workspace's entries, the one that was made last first: in the order of the log, since their times are of two
   * clocks where a sandbox was given one of its own.
   */
  async list(
    accountId: string,
    filter: AuditFilter,
    page: { limit: number; offset: number },
  ): Promise<AuditRow[]> {
    const query = this.rows.createQueryBuilder('entry').where('entry.accountId = :accountId', { accountId });
    const { action, resourceType, resourceId, since, until } = filter;
    if (action?.endsWith('*'))
      query.andWhere('starts_with(entry.action, :prefix)', { prefix: action.slice(0, -1) });
    else if (action !== undefined) query.andWhere('entry.action = :action', { action });
    if (resourceType !== undefined) query.andWhere('entry.resourceType = :resourceType', { resourceType });
    if (resourceId !== undefined) query.andWhere('entry.resourceId = :resourceId', { resourceId });
    if (since !== undefined) query.andWhere('entry.createdAt >= :since', { since });
    if (until !== undefined) query.andWhere('entry.createdAt <= :until', { until });
    return query.orderBy('entry.position', 'DESC').limit(page.limit).offset(page.offset).getMany();
  }
}
