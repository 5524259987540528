export { ApprovalRequestQueries } from './approval-request-queries.js';
export { ApprovalsReadModule } from './approvals-read.module.js';
