import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { SETTINGS } from '#libs/kernel/app';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { exportAnswers } from '#libs/kernel/idempotency';
import { requireSecrets, type Settings } from '#libs/kernel/system';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { erasureDecider, presentErasure } from './erasure.js';

/** The erasure of the customer, if it was requested. */
@Injectable()
class ErasuresSource implements CustomerDataSource {
  constructor(private readonly aggregates: AggregateStore) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    const erasure = await this.aggregates.load(erasureDecider, aggregateId(workspaceId, customerId));
    if (erasure) yield presentErasure(erasure);
  }
}

/** The answers that are stored for idempotency keys of requests about the customer. Neither a key nor a request is stored as a text. */
@Injectable()
class StoredAnswersSource implements CustomerDataSource {
  constructor(
    private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    return exportAnswers(this.pool, requireSecrets(this.settings), workspaceId, customerId);
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'erasures', source: ErasuresSource },
  { name: 'storedAnswers', source: StoredAnswersSource },
];
