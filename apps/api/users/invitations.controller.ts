import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  InviteUser,
  presentInvitation,
  ResendInvitation,
  RevokeInvitation,
  UserQueries,
  type Principal,
} from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CurrentPrincipal, RequiresPermission, UserSessionOnly } from '../http/auth/index.js';
import { Context, PageQuery, readPage } from '../http/index.js';
import { InvitationList, InvitationView, InviteUserBody } from './invitation.dto.js';

@ApiTags('Users')
@Controller('v1/users/invitations')
export class InvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly users: UserQueries,
  ) {}

  @Post()
  @UserSessionOnly()
  @RequiresPermission('users:write')
  @ApiOperation({
    summary: 'Invite somebody by e-mail to become a user of the workspace',
    description:
      'The mail has a link that is valid for 7 days. The answer does not tell whether the address belongs to a user of another workspace.',
  })
  @ApiCreatedResponse({ type: InvitationView })
  @ApiConflictResponse({
    description:
      '`already_member`: a user of this workspace has the address. `already_invited`: the address has a pending or expired invitation. ' +
      'Send that invitation again, or revoke it first.',
  })
  async invite(
    @Context() context: CommandContext,
    @CurrentPrincipal() { id }: Principal,
    @Body() { email, role }: InviteUserBody,
  ): Promise<InvitationView> {
    return presentInvitation(await this.commands.execute(new InviteUser(context, id, email, role)));
  }

  @Get()
  @RequiresPermission('users:read')
  @ApiOperation({
    summary: 'List the invitations, oldest first, including accepted, revoked and expired ones',
    description: 'Each entry has the address, the role and the status. The secrets of links are not shown.',
  })
  @ApiOkResponse({ type: InvitationList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<InvitationList> {
    return readPage(
      page,
      this.users.invitationOrder,
      (part) => this.users.listInvitations(workspaceId, part),
      presentInvitation,
    );
  }

  @Post(':id/resend')
  @HttpCode(200)
  @UserSessionOnly()
  @RequiresPermission('users:write')
  @ApiOperation({
    summary: 'Send an invitation again',
    description:
      'The invitation can then be accepted for another 7 days. Each link works for 7 days from its own mail.',
  })
  @ApiOkResponse({ type: InvitationView })
  @ApiConflictResponse({
    description:
      '`invitation_ended`: it was accepted or revoked. `invitation_just_sent`: the last mail is less than a minute old.',
  })
  async resend(@Context() context: CommandContext, @Param('id') id: string): Promise<InvitationView> {
    return presentInvitation(await this.commands.execute(new ResendInvitation(context, id)));
  }

  @Delete(':id')
  @HttpCode(204)
  @UserSessionOnly()
  @RequiresPermission('users:write')
  @ApiOperation({
    summary: 'Revoke a pending or expired invitation: its links stop working',
    description: 'Another invitation can be sent to the same address.',
  })
  @ApiNoContentResponse()
  async revoke(@Context() context: CommandContext, @Param('id') id: string): Promise<void> {
    await this.commands.execute(new RevokeInvitation(context, id));
  }
}
