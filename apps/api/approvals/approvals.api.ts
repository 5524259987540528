import { defineApi } from '../http/index.js';
import { ApprovalRequestView } from './approval-request.dto.js';
import { ApprovalsApiModule } from './approvals.api.module.js';
import { approvalWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: ApprovalsApiModule,
  tags: [
    {
      name: 'Approvals',
      group: 'access',
      description: 'Actions that wait until a second person approves them, and the policies that say which.',
    },
  ],
  webhooks: approvalWebhooks,
  customerData: { approvals: ApprovalRequestView },
});
