import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { CommandContext } from '#libs/kernel/event-store';
import {
  CreateApiKey,
  IdentityQueries,
  presentApiKey,
  RevokeApiKey,
  type Principal,
} from '#libs/contexts/identity';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import { ApiKeyList, CreateApiKeyBody, NewApiKeyView } from './api-key.dto.js';

@ApiTags('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: IdentityQueries,
  ) {}

  @Post()
  @RequiresPermission('api_keys:write')
  @ApiOperation({ summary: 'Create an API key; only this response shows it' })
  @ApiCreatedResponse({ type: NewApiKeyView })
  async create(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Body() { name, role }: CreateApiKeyBody,
  ) {
    const { apiKey, key } = await this.commands.execute(new CreateApiKey(context, caller.role, name, role));
    return { ...presentApiKey(apiKey), key };
  }

  @Get()
  @RequiresPermission('api_keys:read')
  @ApiOperation({ summary: 'List the API keys that are not revoked, oldest first' })
  @ApiOkResponse({ type: ApiKeyList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery) {
    return readPage(
      page,
      this.identity.keyOrder,
      (part) => this.identity.apiKeys(workspaceId, part),
      presentApiKey,
    );
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('api_keys:write')
  @ApiOperation({ summary: 'Revoke an API key: it is refused from now on' })
  @ApiNoContentResponse()
  async revoke(@Context() context: CommandContext, @Param('id') id: string): Promise<void> {
    await this.commands.execute(new RevokeApiKey(context, id));
  }
}
