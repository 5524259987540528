import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Create{{Name}}, present{{Name}} } from '#libs/contexts/{{folder}}';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { {{Name}}Queries } from '#projections/{{folder}}';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import { Create{{Name}}Body, {{Name}}List, {{Name}}View } from './{{file}}.dto.js';

@ApiTags('{{Words}}')
@Controller('v1/{{folder}}')
export class {{Names}}Controller {
  constructor(
    private readonly commands: CommandBus,
    private readonly {{names}}: {{Name}}Queries,
  ) {}

  @Post()
  @RequiresPermission('{{table}}:write')
  @ApiOperation({ summary: 'Create a {{words}}' })
  @ApiCreatedResponse({ type: {{Name}}View })
  async create(@Context() context: CommandContext, @Body() { name }: Create{{Name}}Body): Promise<{{Name}}View> {
    return present{{Name}}(await this.commands.execute(new Create{{Name}}(context, { name })));
  }

  @Get()
  @RequiresPermission('{{table}}:read')
  @ApiOperation({ summary: 'List {{wordsPlural}}, oldest first' })
  @ApiOkResponse({ type: {{Name}}List })
  async list(@CurrentPrincipal() { workspaceId }: Principal, @Query() page: PageQuery): Promise<{{Name}}List> {
    return readPage(
      page,
      this.{{names}}.listOrder,
      (part) => this.{{names}}.list(workspaceId, part),
      ({ shown }) => present{{Name}}(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('{{table}}:read')
  @ApiParam({ name: 'id', description: 'The id of the {{words}}.', example: '{{idPrefix}}_01JD0000000000000000000000' })
  @ApiOperation({ summary: 'Get a {{words}}' })
  @ApiOkResponse({ type: {{Name}}View })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<{{Name}}View> {
    return present{{Name}}(await this.{{names}}.get(workspaceId, id));
  }
}
