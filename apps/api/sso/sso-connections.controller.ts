import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
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
  ChangeSsoConnection,
  CreateSsoConnection,
  DeleteSsoConnection,
  presentSsoConnection,
  SsoConnections,
  VerifySsoDomain,
  type Principal,
} from '#libs/contexts/identity';
import { Forbidden } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, PageQuery, readPage } from '../http/index.js';
import {
  ChangeSsoConnectionBody,
  CreateSsoConnectionBody,
  SsoConnectionList,
  SsoConnectionView,
} from './sso.dto.js';

@ApiTags('SSO connections')
@Controller('v1/sso-connections')
export class SsoConnectionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly connections: SsoConnections,
  ) {}

  @Post()
  @RequiresPermission('sso_connections:write')
  @ApiOperation({
    summary: 'Connect an OpenID Connect provider',
    description:
      'After this request, publish the DNS record that the response shows for each domain. Then verify each domain by its own ' +
      'endpoint. Before a domain is verified, nobody can sign in by the SSO connection.',
  })
  @ApiCreatedResponse({ type: SsoConnectionView })
  async create(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Body() body: CreateSsoConnectionBody,
  ): Promise<SsoConnectionView> {
    requireUnlimitedCredential(caller);
    const { clientSecret, defaultRole = 'viewer', createUsers = true, required = false, ...terms } = body;
    const requested = { ...terms, defaultRole, createUsers, required };
    return presentSsoConnection(
      await this.commands.execute(new CreateSsoConnection(context, requested, clientSecret)),
    );
  }

  @Get()
  @RequiresPermission('sso_connections:read')
  @ApiOperation({
    summary: 'List the SSO connections, oldest first',
    description: 'Client secrets are not shown.',
  })
  @ApiOkResponse({ type: SsoConnectionList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<SsoConnectionList> {
    return readPage(
      page,
      this.connections.listOrder,
      (part) => this.connections.list(workspaceId, part),
      presentSsoConnection,
    );
  }

  @Get(':id')
  @RequiresPermission('sso_connections:read')
  @ApiOperation({ summary: 'Get an SSO connection', description: 'The client secret is not shown.' })
  @ApiOkResponse({ type: SsoConnectionView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<SsoConnectionView> {
    return presentSsoConnection(await this.connections.get(workspaceId, id));
  }

  @Patch(':id')
  @RequiresPermission('sso_connections:write')
  @ApiOperation({
    summary: 'Change an SSO connection',
    description:
      '`domains` and `redirectUris` replace the whole list. A verified domain that stays in the list is still verified.',
  })
  @ApiOkResponse({ type: SsoConnectionView })
  async change(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Param('id') id: string,
    @Body() { clientSecret, ...changes }: ChangeSsoConnectionBody,
  ): Promise<SsoConnectionView> {
    requireUnlimitedCredential(caller);
    const change = new ChangeSsoConnection(context, id, changes, clientSecret);
    return presentSsoConnection(await this.commands.execute(change));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresPermission('sso_connections:write')
  @ApiOperation({
    summary: 'Delete an SSO connection',
    description:
      'The users who signed in by the SSO connection stay, and their sessions continue. Afterwards, a user without a password signs in ' +
      'by a link in a mail, or sets a password by such a link.',
  })
  @ApiNoContentResponse()
  async delete(
    @Context() context: CommandContext,
    @CurrentPrincipal() caller: Principal,
    @Param('id') id: string,
  ): Promise<void> {
    requireUnlimitedCredential(caller);
    await this.commands.execute(new DeleteSsoConnection(context, id));
  }

  @Post(':id/domains/:domain/verify')
  @HttpCode(200)
  @RequiresPermission('sso_connections:write')
  @ApiOperation({
    summary: 'Verify a domain by its DNS record',
    description:
      'If the DNS record is missing, the error `domain_not_proved` says which records were found. If the DNS does not answer, ' +
      'the error is `domain_not_proved` too.',
  })
  @ApiOkResponse({ type: SsoConnectionView })
  @ApiConflictResponse({ description: '`domain_taken`: the domain is verified for another connection.' })
  async verifyDomain(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Param('domain') domain: string,
  ): Promise<SsoConnectionView> {
    return presentSsoConnection(await this.commands.execute(new VerifySsoDomain(context, id, domain)));
  }
}

/**
 * Throws Forbidden (`unlimited_credential_required`) for an API key that is restricted or expires. Users of every role can sign in by an
 * SSO connection, so a restricted key could otherwise gain rights that it does not have.
 */
function requireUnlimitedCredential({ permissions, expiresAt }: Principal): void {
  if (!permissions && !expiresAt) return;
  throw new Forbidden(
    'unlimited_credential_required',
    'Users of every role can sign in by a connection, so an API key that is restricted or expires cannot create, change or delete one; use another credential',
  );
}
