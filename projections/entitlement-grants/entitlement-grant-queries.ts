import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { EntitlementGrant } from '#libs/contexts/entitlements';
import { SnapshotQueries } from '#libs/kernel/projection';
import { EntitlementGrantRow } from './entitlement-grant-row.js';

@Injectable()
export class EntitlementGrantQueries extends SnapshotQueries<
  EntitlementGrantRow,
  EntitlementGrant,
  { readonly customerId: string }
> {
  constructor(@InjectRepository(EntitlementGrantRow) rows: Repository<EntitlementGrantRow>) {
    super(rows, {
      resource: 'entitlement grant',
      where: { removed: false },
      conditions: (filter) => ({ ...filter }),
      shownOf: ({ state }) => state,
    });
  }
}
