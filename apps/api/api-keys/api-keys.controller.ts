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
import type { CommandContext } from '#libs/kernel/event-store';
import {
  CreateApiKey,
  IdentityQueries,
  presentApiKey,
  RevokeApiKey,
  RotateApiKey,
  type Principal,
} from '#libs/contexts/identity';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { AnswersWithSecret, Context, readPage, PageQuery } from '../http/index.js';
import {
  ApiKeyList,
  CreateApiKeyBody,
  DEFAULT_OVERLAP_SECONDS,
  NewApiKeyView,
  RotateApiKeyBody,
} from './api-key.dto.js';

@ApiTags('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: IdentityQueries,
  ) {}

  @Post()
  @AnswersWithSecret()
  @RequiresPermission('api_keys:write')
  @ApiOperation({
    summary: 'Create an API key; only this response shows the key',
    description:
      'The key is a text that begins with `svc_`. A lost key cannot be shown again, but rotated or replaced by a new key.',
  })
  @ApiCreatedResponse({ type: NewApiKeyView })
  async create(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Body() requested: CreateApiKeyBody,
  ): Promise<NewApiKeyView> {
    const { apiKey, secret: key } = await this.commands.execute(new CreateApiKey(context, caller, requested));
    return { ...presentApiKey(apiKey), key };
  }

  @Post(':id/rotate')
  @AnswersWithSecret()
  @RequiresPermission('api_keys:write')
  @ApiOperation({
    summary: 'Replace an API key by a new key; only this response shows the new key',
    description:
      'The new key has the name, role and permissions of the old key. The old key is still accepted for `overlapSeconds`, but not after ' +
      'its own expiry, so that programs can switch to the new key.',
  })
  @ApiCreatedResponse({ type: NewApiKeyView })
  @ApiConflictResponse({
    description:
      '`api_key_rotated`: another key has already replaced this key. `api_key_not_active`: the key has expired.',
  })
  async rotate(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Param('id') id: string,
    @Body() { overlapSeconds = DEFAULT_OVERLAP_SECONDS, expiresAt }: RotateApiKeyBody,
  ): Promise<NewApiKeyView> {
    const rotate = new RotateApiKey(context, caller, id, { overlapSeconds, expiresAt });
    const { apiKey, secret: key } = await this.commands.execute(rotate);
    return { ...presentApiKey(apiKey), key };
  }

  @Get()
  @RequiresPermission('api_keys:read')
  @ApiOperation({
    summary: 'List the API keys that are not revoked, oldest first, including expired keys',
    description:
      'Each entry has the last four characters of its key, the role, the restrictions and the time of the last use.',
  })
  @ApiOkResponse({ type: ApiKeyList })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<ApiKeyList> {
    return readPage(
      page,
      this.identity.apiKeyOrder,
      (part) => this.identity.listApiKeys(workspaceId, part),
      presentApiKey,
    );
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('api_keys:write')
  @ApiOperation({
    summary: 'Revoke an API key; the key is refused from now on',
    description:
      'A restricted key can only revoke keys that may do no more than itself (`403 role_exceeds_own`).',
  })
  @ApiNoContentResponse()
  async revoke(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Param('id') id: string,
  ): Promise<void> {
    await this.commands.execute(new RevokeApiKey(context, caller, id));
  }
}
