import { Body, Controller, Get, HttpCode, Param, Post, StreamableFile } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { deriveId, StateConflict } from '#libs/kernel/core';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { BooksExportStore, lastInstantOfRange, type LedgerFileFormatName } from '#libs/outputs/books';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context } from '../http/index.js';
import { BooksExportList, BooksExportView, RequestBooksExportBody } from './books-exports.dto.js';
import { presentBooksExport } from './present-books-export.js';

/** The media type and the ending of the name of each file. */
const FILES: Readonly<Record<LedgerFileFormatName, { type: string; ending: string }>> = {
  hledger: { type: 'text/plain; charset=utf-8', ending: 'journal' },
  beancount: { type: 'text/plain; charset=utf-8', ending: 'beancount' },
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  json: { type: 'application/json; charset=utf-8', ending: 'json' },
};

/** Exports of the books as files, which are made in the background. */
@ApiTags('Ledger')
@Controller('v1/ledger/exports')
export class BooksExportsController {
  constructor(private readonly exports: BooksExportStore) {}

  @Post()
  @HttpCode(202)
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Export the books as a file for an accounting tool',
    description:
      'The books are computed only from the events, as `countinghouse ledger export` does. The file is made in the background: request ' +
      'the export until its `status` is `done`, and then its file. A workspace has one export at a time. If a process ends meanwhile, the ' +
      'file is made again from the beginning. The audit trail records who requested the export.',
  })
  @ApiAcceptedResponse({ type: BooksExportView })
  @ApiConflictResponse({
    description: 'Another export of the workspace has not ended (`books_export_in_progress`).',
  })
  async request(
    @Context() context: CommandContext,
    @Body() { format, since, until }: RequestBooksExportBody,
  ): Promise<BooksExportView> {
    const { workspaceId, commandId, now } = context;
    const request = {
      id: deriveId('bex', workspaceId, commandId),
      workspaceId,
      format,
      since: since ?? null,
      until: until ?? null,
      last: lastInstantOfRange(until ?? null, now),
    };
    return presentBooksExport(await this.exports.create(request, context));
  }

  @Get()
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'List the newest exports of the books, newest first',
    description: 'At most 100 exports are listed.',
  })
  @ApiOkResponse({ type: BooksExportList })
  async list(@CurrentPrincipal() { workspaceId }: Principal): Promise<BooksExportList> {
    return { data: (await this.exports.list(workspaceId)).map(presentBooksExport) };
  }

  @Get(':id')
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Get an export of the books with its progress',
    description: 'Ask again until the status is `done` or `failed`.',
  })
  @ApiOkResponse({ type: BooksExportView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<BooksExportView> {
    return presentBooksExport(await this.exports.require(workspaceId, id));
  }

  @Get(':id/file')
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Download the file of an export of the books',
    description:
      'The file is kept for seven days. The erasure of a customer of the workspace removes it earlier. If it is removed while it is sent, ' +
      'the connection is cut.',
  })
  @ApiOkResponse({
    content: {
      'text/plain': { schema: { type: 'string' } },
      'text/csv': { schema: { type: 'string' } },
      'application/json': { schema: { type: 'object' } },
    },
  })
  @ApiConflictResponse({ description: 'The export is not done, or has failed (`books_export_not_done`).' })
  async file(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<StreamableFile> {
    const found = await this.exports.require(workspaceId, id);
    if (found.status !== 'done')
      throw new StateConflict(
        'books_export_not_done',
        found.status === 'failed'
          ? 'The export has failed, as its `error` says; request another one with POST /v1/ledger/exports'
          : 'The file is still being made; request it when the `status` of the export is `done`',
      );
    const { type, ending } = FILES[found.format];
    const parts = await this.exports.openFile(found);
    return new StreamableFile(Readable.from(parts, { objectMode: false }), {
      type,
      disposition: `attachment; filename="books.${ending}"`,
      length: found.bytes!,
    });
  }
}
