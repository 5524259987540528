import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  CreatePortalSession,
  IdentityQueries,
  PORTAL_SESSION_SECONDS,
  presentPortalSession,
  RevokePortalSessions,
  type Principal,
} from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { AnswersWithSecret, Context, readPage } from '../http/index.js';
import {
  CreatePortalSessionBody,
  NewPortalSessionView,
  PortalSessionList,
  PortalSessionQuery,
} from './portal-session.dto.js';

/** Manages the portal sessions of customers, for the seller's backend. */
@ApiTags('Portal sessions')
@Controller('v1/portal/sessions')
export class PortalSessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: IdentityQueries,
  ) {}

  @Post()
  @AnswersWithSecret()
  @RequiresPermission('portal_sessions:write')
  @ApiOperation({
    summary: 'Create a portal session for a customer; only this response shows its token',
    description:
      'Hand the token to the browser of the customer. The token is the credential for the other endpoints under `/v1/portal`, and for ' +
      'nothing else. To set `allowPlanChanges`, the caller needs `subscriptions:write`. To set `allowCreditPurchases`, the caller needs ' +
      '`credits:write`. Otherwise the error is `role_exceeds_own`. A session that an API key creates expires no later ' +
      'than the `expiresAt` that the API key has at that time. A later revocation or rotation of the key does not end the session.',
  })
  @ApiCreatedResponse({ type: NewPortalSessionView })
  async create(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Body() body: CreatePortalSessionBody,
  ): Promise<NewPortalSessionView> {
    const {
      customerId,
      expiresInSeconds = PORTAL_SESSION_SECONDS.default,
      allowPlanChanges = false,
      allowCreditPurchases = false,
      quantityLimits,
    } = body;
    const request = {
      customerId,
      expiresInSeconds,
      allowPlanChanges,
      allowCreditPurchases,
      ...(quantityLimits === undefined ? {} : { quantityLimits: { ...quantityLimits } }),
    };
    const created = await this.commands.execute(new CreatePortalSession(context, caller, request));
    return { ...presentPortalSession(created.portalSession), token: created.token };
  }

  @Get()
  @RequiresPermission('portal_sessions:read')
  @ApiOperation({
    summary: 'List the portal sessions that are neither expired nor revoked, oldest first',
    description:
      'Each entry has the customer, what the session allows, and when it expires. Tokens are not shown.',
  })
  @ApiOkResponse({ type: PortalSessionList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { customerId, ...page }: PortalSessionQuery,
  ): Promise<PortalSessionList> {
    return readPage(
      page,
      this.identity.portalSessionOrder,
      (part) => this.identity.listPortalSessions(workspaceId, part, customerId),
      presentPortalSession,
    );
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('portal_sessions:write')
  @ApiParam({
    name: 'id',
    description: 'The id of the portal session.',
    example: 'pses_01JD0000000000000000000000',
  })
  @ApiOperation({
    summary: 'Revoke a portal session; its token is refused from now on',
    description: 'Other sessions of the customer stay valid.',
  })
  @ApiNoContentResponse()
  async revoke(@Context() context: CommandContext, @Param('id') portalSessionId: string): Promise<void> {
    await this.commands.execute(new RevokePortalSessions(context, { portalSessionId }));
  }
}
