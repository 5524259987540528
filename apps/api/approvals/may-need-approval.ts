import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse } from '@nestjs/swagger';
import type { ApprovalAction } from '#libs/contexts/approvals';
import { ApprovalRequestView } from './approval-request.dto.js';

/**
 * Adds the 202 response to the OpenAPI description of a route. The route answers 202 if the policy of one of `actions` requires approval
 * first.
 */
export const MayNeedApproval = (...actions: [ApprovalAction, ...ApprovalAction[]]) =>
  applyDecorators(
    ApiAcceptedResponse({
      type: ApprovalRequestView,
      description:
        `The action needs the approval of a second person, as the policy of ${actions.map((one) => `\`${one}\``).join(' or ')} says. ` +
        'The action has not been done yet. The response is the approval request. If you repeat the call with the same `Idempotency-Key`, ' +
        'you get this response again. Get the approval request to see its present status.',
    }),
  );
