import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { InvalidRequest, toCsv } from '#libs/kernel/core';
import type { Principal } from '#libs/contexts/identity';
import { AUDIT_EXPORT_COLUMNS, AuditQueries, presentAuditEntry, type AuditRow } from '#projections/audit';
import { CurrentPrincipal, RequiresPermission, UserSessionOnly } from '../http/auth/index.js';
import { csvAnswer, jsonOrCsv, readPage, responseHeaderRefs } from '../http/index.js';
import { AuditList, AuditQuery, MAX_JSON_ENTRIES } from './audit.dto.js';

@ApiTags('Audit')
@UserSessionOnly()
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditQueries) {}

  @Get()
  @RequiresPermission('audit:read')
  @ApiOperation({
    summary: 'List who did what and when, newest first, as JSON or as a CSV file',
    description:
      'The cursor of the next page is in `next` of a JSON response, and in the header `Next` of a CSV response.',
  })
  @ApiExtraModels(AuditList)
  @ApiOkResponse({
    ...responseHeaderRefs('Next'),
    ...jsonOrCsv(AuditList),
  })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { format, bom, limit, offset, after, ...filter }: AuditQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditList | string> {
    if (format === 'json' && limit > MAX_JSON_ENTRIES)
      throw InvalidRequest.field(
        'limit',
        `must be a whole number from 1 to ${MAX_JSON_ENTRIES}, or the format csv`,
      );
    const list = <Shown>(present: (row: AuditRow) => Shown) =>
      readPage(
        { limit, offset, after },
        this.audit.listOrder,
        (part) => this.audit.list(workspaceId, filter, part),
        present,
      );
    if (format === 'json') return list(presentAuditEntry);
    const { data: rows, next } = await list((row) => row);
    if (next !== undefined) void reply.header('Next', next);
    return csvAnswer(reply, { name: 'audit', bom }, toCsv(AUDIT_EXPORT_COLUMNS, rows));
  }
}
