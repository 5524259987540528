import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { presentSession, RevokeSessions, UserQueries, type Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CurrentPrincipal, UserSessionOnly } from '../http/auth/index.js';
import { Context, PageQuery, readPage } from '../http/index.js';
import { SessionList } from './user.dto.js';

/** The sessions of the signed-in user. */
@ApiTags('Users')
@Controller('v1/users/me/sessions')
@UserSessionOnly()
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly users: UserQueries,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List your open sessions, oldest first',
    description:
      'Each entry has the time of the sign-in and of the end, and says whether this request belongs to it.',
  })
  @ApiOkResponse({ type: SessionList })
  async list(
    @CurrentPrincipal() { id, sessionId }: Principal,
    @Query() page: PageQuery,
  ): Promise<SessionList> {
    return readPage(
      page,
      this.users.sessionOrder,
      (part) => this.users.listSessions(id, part),
      (session) => presentSession(session, sessionId),
    );
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'End one of your sessions: its tokens are refused from now on',
    description: 'Other sessions stay open.',
  })
  @ApiNoContentResponse()
  async revoke(
    @Context() context: CommandContext,
    @CurrentPrincipal() user: Principal,
    @Param('id') id: string,
  ): Promise<void> {
    await this.commands.execute(new RevokeSessions(context, user.id, id));
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({
    summary: 'End all of your sessions, including the one of this request',
    description: 'Their tokens are refused from now on.',
  })
  @ApiNoContentResponse()
  async revokeAll(@Context() context: CommandContext, @CurrentPrincipal() user: Principal): Promise<void> {
    await this.commands.execute(new RevokeSessions(context, user.id));
  }
}
