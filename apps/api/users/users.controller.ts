import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiConflictResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ChangeUser,
  IdentityQueries,
  presentUser,
  UserQueries,
  type Principal,
} from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CurrentPrincipal, RequiresPermission, UserSessionOnly } from '../http/auth/index.js';
import { Context, PageQuery, readPage } from '../http/index.js';
import { ChangeUserBody, UserList, UserView } from './user.dto.js';

@ApiTags('Users')
@Controller('v1/users')
export class UsersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: IdentityQueries,
    private readonly users: UserQueries,
  ) {}

  @Get('me')
  @UserSessionOnly()
  @ApiOperation({
    summary: 'Get the signed-in user',
    description: 'The response has the role of the user and the id of the workspace (`accountId`).',
  })
  @ApiOkResponse({ type: UserView })
  async me(@CurrentPrincipal() { workspaceId, id }: Principal): Promise<UserView> {
    return presentUser(await this.identity.getUser(workspaceId, id));
  }

  @Get()
  @RequiresPermission('users:read')
  @ApiOperation({
    summary: 'List the users of the workspace, oldest first, including deactivated users',
    description: 'Each user has the role and the status.',
  })
  @ApiOkResponse({ type: UserList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<UserList> {
    return readPage(
      page,
      this.users.userOrder,
      (part) => this.users.listUsers(workspaceId, part),
      presentUser,
    );
  }

  @Patch(':id')
  @UserSessionOnly()
  @RequiresPermission('users:write')
  @ApiOperation({
    summary: 'Change the role or the status of a user',
    description: 'The change takes effect at once, also for requests of open sessions.',
  })
  @ApiOkResponse({ type: UserView })
  @ApiConflictResponse({ description: '`last_admin`: the workspace would have no active admin.' })
  async change(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() changes: ChangeUserBody,
  ): Promise<UserView> {
    return presentUser(await this.commands.execute(new ChangeUser(context, id, changes)));
  }
}
