import { approvalRequestDecider } from '#libs/contexts/approvals';
import { snapshotProjection } from '#libs/kernel/projection';
import { ApprovalRequestRow } from './approval-request-row.js';

/** Every approval request: `GET /v1/approvals`. */
export const approvalsProjection = snapshotProjection({
  name: 'approvals',
  version: 4,
  entity: ApprovalRequestRow,
  decider: approvalRequestDecider,
  columnsOf: ({ status, action, customerId }) => ({ status, action, customerId }),
});
