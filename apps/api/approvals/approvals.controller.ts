import { Body, Controller, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiConflictResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ChangeApprovalPolicy,
  CurrentApprovalPolicies,
  DecideApproval,
  presentApprovalRequest,
  presentApprovalPolicy,
} from '#libs/contexts/approvals';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { ApprovalRequestQueries } from '#projections/approvals';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery, readPage } from '../http/index.js';
import { ApprovalPolicyList, ApprovalPolicyView, ChangePolicyBody } from './approval-policy.dto.js';
import {
  EXAMPLE_APPROVAL_ID,
  ApprovalListQuery,
  ApprovalRequestList,
  ApprovalRequestView,
  DecisionBody,
} from './approval-request.dto.js';

const REQUEST_IN_PATH = {
  name: 'id',
  description: 'The id of the approval request.',
  example: EXAMPLE_APPROVAL_ID,
};

@ApiTags('Approvals')
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly approvals: ApprovalRequestQueries,
    private readonly currentPolicies: CurrentApprovalPolicies,
  ) {}

  @Get('policies')
  @RequiresPermission('approval_policies:read')
  @ApiOperation({
    summary: 'List the approval policies, one for each action',
    description: 'Every action has one policy, also if the policy was never changed.',
  })
  @ApiOkResponse({ type: ApprovalPolicyList })
  async policies(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<ApprovalPolicyList> {
    const rows = await this.currentPolicies.allPolicies(workspaceId);
    return pageInMemory(
      page,
      { list: 'approval_policies', rows, idOf: ({ action }) => action },
      ({ action, policy }) => presentApprovalPolicy(action, policy),
    );
  }

  @Put('policies/:action')
  @RequiresPermission('approval_policies:write')
  @ApiParam({ name: 'action', description: 'The action of the policy.', example: 'invoice.void' })
  @ApiOperation({
    summary: 'Change the policy that decides in which cases an action needs the approval of a second person',
    description:
      'A field that is left out keeps its value. The change does not affect requests that are already pending. You can enable a ' +
      'policy only if another user of the workspace could approve.',
  })
  @ApiOkResponse({ type: ApprovalPolicyView })
  @ApiConflictResponse({
    description:
      'The policy is to be enabled, but the workspace has no other user who may approve (`no_other_approver`): add another user first.',
  })
  async changePolicy(
    @Context() context: CommandContext,
    @Param('action') action: string,
    @Body() body: ChangePolicyBody,
  ): Promise<ApprovalPolicyView> {
    const changed = await this.commands.execute(new ChangeApprovalPolicy(context, action, body));
    return presentApprovalPolicy(changed.action, changed.policy);
  }

  @Get()
  @RequiresPermission('approvals:read')
  @ApiOperation({
    summary: 'List approval requests, pending and past, most recent first',
    description: 'Each request shows the amount, the terms and the changes that the approver decides on.',
  })
  @ApiOkResponse({ type: ApprovalRequestList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: ApprovalListQuery,
  ): Promise<ApprovalRequestList> {
    const { status, action, ...page } = query;
    const filter = { ...(status ? { status } : {}), ...(action ? { action } : {}) };
    return readPage(
      page,
      this.approvals.listOrder,
      (part) => this.approvals.list(workspaceId, part, filter),
      ({ shown }) => presentApprovalRequest(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('approvals:read')
  @ApiParam(REQUEST_IN_PATH)
  @ApiOperation({
    summary: 'Get an approval request',
    description:
      'The response shows the amount, the terms and the changes of the held action, and the decision.',
  })
  @ApiOkResponse({ type: ApprovalRequestView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<ApprovalRequestView> {
    return presentApprovalRequest(await this.approvals.get(workspaceId, id));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @RequiresPermission('approvals:write')
  @ApiParam(REQUEST_IN_PATH)
  @ApiOperation({
    summary: 'Approve a pending request, which is then executed',
    description:
      'You cannot approve your own request (`403 own_request`). A request from an API key that you created counts as your own. An ' +
      'API key may approve only as long as the user who created the key may approve; otherwise, the error is `403 ' +
      'approver_not_allowed`. If that user is not known, the error is `403 approver_unknown`. If the creator of the API key that ' +
      'made the request is not known, nobody can approve the request (`403 requester_unknown`). The action is executed right after ' +
      'the response. To see its result, get the approval request again, or wait for the webhook `approval.executed` or ' +
      '`approval.failed`.',
  })
  @ApiOkResponse({ type: ApprovalRequestView })
  @ApiConflictResponse({
    description:
      'The request was already decided (`approval_decided`) or has expired (`approval_expired`). Once the status is `expired`, ' +
      'the error is `approval_decided` too. `approval_outdated`: the action would now have another amount, another time or other ' +
      'terms than the request shows. The request stays pending. Send the action again to get a new request.',
  })
  async approve(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { note = null }: DecisionBody,
  ): Promise<ApprovalRequestView> {
    const decision = { approves: true, note };
    return presentApprovalRequest(await this.commands.execute(new DecideApproval(context, id, decision)));
  }

  @Post(':id/reject')
  @HttpCode(200)
  @RequiresPermission('approvals:write')
  @ApiParam(REQUEST_IN_PATH)
  @ApiOperation({
    summary: 'Reject a pending request, which is then never executed',
    description: 'You can also reject your own request, to withdraw it.',
  })
  @ApiOkResponse({ type: ApprovalRequestView })
  @ApiConflictResponse({
    description:
      'The request was already decided (`approval_decided`) or has expired (`approval_expired`). Once the status is `expired`, ' +
      'the error is `approval_decided` too.',
  })
  async reject(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { note = null }: DecisionBody,
  ): Promise<ApprovalRequestView> {
    const decision = { approves: false, note };
    return presentApprovalRequest(await this.commands.execute(new DecideApproval(context, id, decision)));
  }
}
