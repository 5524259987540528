import { Injectable } from '@nestjs/common';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { erasureDecider, type Erasure } from './erasure.js';

/** Reads erasures from their streams. */
@Injectable()
export class Erasures {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the erasure of a customer. Undefined if none was requested. */
  find(workspaceId: string, customerId: string): Promise<Erasure | undefined> {
    return this.aggregates.load(erasureDecider, aggregateId(workspaceId, customerId));
  }
}
