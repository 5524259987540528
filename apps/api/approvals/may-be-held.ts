import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse } from '@nestjs/swagger';
import type { ApprovalAction } from '#libs/contexts/approvals';
import { ApprovalRequestView } from './approval-request.dto.js';

/** Documents that the action of the route waits for approval if the policies of these actions say so. */
export const MayBeHeld = (...actions: [ApprovalAction, ...ApprovalAction[]]) =>
  applyDecorators(
    ApiAcceptedResponse({
      type: ApprovalRequestView,
      description:
        `The action needs the approval of a second person, as the policy of ${actions.map((one) => `\`${one}\``).join(' or ')} says. ` +
        'It was not done. The response is the approval request. A repetition with the same key gets the same request.',
    }),
  );
