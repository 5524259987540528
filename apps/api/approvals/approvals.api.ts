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
      description:
        'Actions that wait for the approval of a second person, and the policies that decide which actions need approval.',
    },
  ],
  webhooks: approvalWebhooks,
  customerData: { approvals: ApprovalRequestView },
});
