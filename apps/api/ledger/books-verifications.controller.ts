import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { deriveId } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { BooksVerificationStore } from '#libs/outputs/books';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context } from '../http/index.js';
import { BooksVerificationList, BooksVerificationView } from './books-verifications.dto.js';
import { presentBooksVerification, presentListedBooksVerification } from './present-books-verification.js';

/** Verifications of the books, which are done in the background. */
@ApiTags('Ledger')
@Controller('v1/ledger/verifications')
export class BooksVerificationsController {
  constructor(private readonly verifications: BooksVerificationStore) {}

  @Post()
  @HttpCode(202)
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Verify the books of the workspace',
    description:
      'Every invoice and every accrual is computed again from the events and the usage. Invoices, ledger, balances, closed months and audit ' +
      'trail are compared with the events, as `countinghouse ledger verify` does for all workspaces. Nothing is changed. The verification runs ' +
      'in the background: request it until its `status` is `done`. A workspace has one verification at a time. If a process ends meanwhile, ' +
      'the verification begins again. The audit trail records who requested it.',
  })
  @ApiAcceptedResponse({ type: BooksVerificationView })
  @ApiConflictResponse({
    description: 'Another verification of the workspace has not ended (`books_verification_in_progress`).',
  })
  async request(@Context() context: CommandContext): Promise<BooksVerificationView> {
    const id = deriveId('bvr', context.workspaceId, context.commandId);
    return presentBooksVerification(await this.verifications.create(id, context));
  }

  @Get()
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'List the newest verifications of the books, newest first',
    description: 'At most 100 verifications are listed.',
  })
  @ApiOkResponse({ type: BooksVerificationList })
  async list(@CurrentPrincipal() { workspaceId }: Principal): Promise<BooksVerificationList> {
    return { data: (await this.verifications.list(workspaceId)).map(presentListedBooksVerification) };
  }

  @Get(':id')
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Get a verification of the books with its differences',
    description: 'Ask again until the status is `done` or `failed`.',
  })
  @ApiOkResponse({ type: BooksVerificationView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<BooksVerificationView> {
    return presentBooksVerification(await this.verifications.require(workspaceId, id));
  }
}
