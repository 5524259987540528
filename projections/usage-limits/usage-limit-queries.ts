import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Equal, IsNull, Or, Repository } from 'typeorm';
import type { UsageLimit } from '#libs/contexts/usage-limits';
import { SnapshotQueries } from '#libs/kernel/projection';
import { UsageLimitRow } from './usage-limit-row.js';

/** The limits to list. If a field is absent, limits are not filtered by it. */
export interface UsageLimitFilter {
  /** Only limits for this customer are returned. */
  readonly customerId?: string;
  readonly metricId?: string;
  /** Only limits that apply to this customer are returned: limits for this customer, and limits for every customer. */
  readonly appliesTo?: string;
}

@Injectable()
export class UsageLimitQueries extends SnapshotQueries<UsageLimitRow, UsageLimit, UsageLimitFilter> {
  constructor(@InjectRepository(UsageLimitRow) rows: Repository<UsageLimitRow>) {
    super(rows, {
      resource: 'usage limit',
      where: { deleted: false },
      conditions: ({ appliesTo, ...filter }) => ({
        ...filter,
        ...(appliesTo === undefined ? {} : { customerId: Or(Equal(appliesTo), IsNull()) }),
      }),
      shownOf: ({ state }) => state,
    });
  }
}
