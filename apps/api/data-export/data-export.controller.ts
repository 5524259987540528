import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RecordDataExport } from '#libs/contexts/privacy';
import type { CommandContext } from '#libs/kernel/event-store';
import { RequiresPermission } from '../http/auth/index.js';
import { Context, CUSTOMER_DATA_SCHEMA, WithCommand, responseHeaderRefs } from '../http/index.js';
import { ZipExportWriter } from './zip-export-writer.js';
import { DataExportQuery } from './data-export.dto.js';
import { JsonExportWriter } from './document.js';

@ApiTags('Customers')
@Controller('v1/customers')
export class DataExportController {
  constructor(
    private readonly commands: CommandBus,
    private readonly document: JsonExportWriter,
    private readonly archive: ZipExportWriter,
  ) {}

  @Get(':id/data-export')
  @WithCommand()
  @RequiresPermission('privacy:read')
  @ApiOperation({
    summary: 'Export everything that is stored about a customer, as JSON or as a ZIP archive',
    description:
      'Deleted and erased customers can be exported too; of an erased customer, only the remaining data. The audit trail records who ' +
      'exported the data. The response is streamed. If something fails while the response is sent, the connection is cut: a JSON ' +
      'document that does not end with `"complete":true`, or an archive that cannot be opened, is not complete.',
  })
  @ApiOkResponse({
    ...responseHeaderRefs('Read-Models'),
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${CUSTOMER_DATA_SCHEMA}` } },
      'application/zip': { schema: { type: 'string', format: 'binary' } },
    },
  })
  async export(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Query() { format, bom }: DataExportQuery,
  ): Promise<StreamableFile> {
    await this.commands.execute(new RecordDataExport(context, customerId, format));
    const customer = { workspaceId: context.workspaceId, customerId, at: context.now };
    const stream =
      format === 'json' ? this.document.stream(customer) : this.archive.stream(customer, { bom });
    return new StreamableFile(stream, {
      type: format === 'json' ? 'application/json; charset=utf-8' : 'application/zip',
      disposition: `attachment; filename="customer-data.${format}"`,
    });
  }
}
