import type { WebhookSchemas } from '../http/index.js';
import { ApprovalRequestView } from './approval-request.dto.js';

/** The OpenAPI schemas of the webhook events about approval requests. */
export const approvalWebhooks: WebhookSchemas = {
  resources: { approval: ApprovalRequestView },
  additionalFields: {},
  wholeData: {},
};
