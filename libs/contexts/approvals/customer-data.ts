import { Injectable } from '@nestjs/common';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { presentApprovalRequest } from './present.js';
import { approvalRequestDecider } from './requests/approval-request.js';

@Injectable()
class ApprovalsSource implements CustomerDataSource {
  constructor(private readonly states: AggregateStateReader) {}

  async *entries({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<object> {
    for await (const request of this.states.statesWhere(
      approvalRequestDecider,
      workspaceId,
      'customerId',
      customerId,
    ))
      yield presentApprovalRequest(request);
  }
}

/** The parts of a customer's data export that this context adds: the approval requests about a customer. */
export const customerData: readonly CustomerDataPart[] = [
  { name: 'approvals', source: ApprovalsSource, isAudited: true },
];
