import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdentityQueries, presentUser, type Principal } from '#libs/contexts/identity';
import { CurrentPrincipal, UserSessionOnly } from '../http/auth/index.js';
import { UserView } from './user.dto.js';

@ApiTags('Authentication')
@Controller('v1/users')
export class UsersController {
  constructor(private readonly identity: IdentityQueries) {}

  @Get('me')
  @UserSessionOnly()
  @ApiOperation({ summary: 'Get the signed-in user' })
  @ApiOkResponse({ type: UserView })
  async me(@CurrentPrincipal() { workspaceId, id }: Principal) {
    return presentUser(await this.identity.user(workspaceId, id));
  }
}
