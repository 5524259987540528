import { Injectable } from '@nestjs/common';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore } from '#libs/kernel/event-store';
import { creditTypeDecider, requireCreditType, type CreditType } from './credit-type.js';

/** Reads credit types for commands, always from their streams and never from a read model. */
@Injectable()
export class CreditTypes {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the credit type. Throws NotFound if the credit type is not in the workspace. */
  async require(workspaceId: string, type: string): Promise<CreditType> {
    return requireCreditType(
      type,
      await this.aggregates.load(creditTypeDecider, aggregateId(workspaceId, type)),
    );
  }
}
