import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { creditNoteFileName, InvoiceDocuments } from '#libs/outputs/documents';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import {
  CurrentBillingSettings,
  IssueCreditNote,
  presentCreditNote,
  requireCreditNote,
  VoidCreditNote,
} from '#libs/contexts/invoicing';
import { InvoiceQueries } from '#projections/invoices';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery, TakesLong } from '../http/index.js';
import {
  E_INVOICE_CONFLICT_DESCRIPTION,
  E_INVOICE_DESCRIPTION,
  EInvoiceQuery,
  xmlResponse,
} from './e-invoice.dto.js';
import { pdfResponse } from './pdf-response.js';
import {
  CreditNoteList,
  readRequestedCredit,
  CreditNoteView,
  IssueCreditNoteBody,
  VoidCreditNoteBody,
} from './credit-note.dto.js';

@ApiTags('Invoices')
@Controller('v1/invoices/:id')
export class CreditNotesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: InvoiceQueries,
    private readonly documents: InvoiceDocuments,
    private readonly billingSettings: CurrentBillingSettings,
  ) {}

  @Post('credit-note')
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Credit a part of an invoice, or the whole invoice',
    description:
      'A credit note on an unpaid invoice lowers the amount due. On a paid invoice, the credit is refunded or goes to the balance. All ' +
      'credit notes together cannot exceed the invoice (`credit_exceeds_invoice`), and those on a line cannot exceed the line ' +
      '(`credit_exceeds_line`). A credit note on an unpaid invoice cannot exceed the amount due (`credit_exceeds_invoice`). An ' +
      '`amount` is divided among all lines, in proportion to the part of each line that can still be credited. Credit notes and later ' +
      'invoices that gave back amounts of a line reduce this part.',
  })
  @ApiCreatedResponse({ type: CreditNoteView })
  @MayNeedApproval('invoice.credit_note')
  async issue(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() body: IssueCreditNoteBody,
  ): Promise<CreditNoteView> {
    const { reason, memo = null, to: target = null } = body;
    const request = { reason, memo, credit: readRequestedCredit(body), target };
    const { invoice, note } = await this.commands.execute(new IssueCreditNote(context, id, request));
    return presentCreditNote(invoice, note);
  }

  @Get('credit-notes')
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List the credit notes of an invoice, oldest first',
    description:
      'Each credit note says how much was taken off the unpaid invoice, added to the balance and refunded. Void credit notes ' +
      'are included.',
  })
  @ApiOkResponse({ type: CreditNoteList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<CreditNoteList> {
    const invoice = await this.invoices.get(workspaceId, id);
    const { creditNotes: rows } = invoice;
    return pageInMemory(
      page,
      { list: 'credit_notes', rows, idOf: ({ creditNoteId }) => creditNoteId },
      (note) => presentCreditNote(invoice, note),
    );
  }

  @Get('credit-notes/:creditNoteId')
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'Get a credit note',
    description: 'The response has the credited lines, the taxes and the status of the refund.',
  })
  @ApiOkResponse({ type: CreditNoteView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Param('creditNoteId') creditNoteId: string,
  ): Promise<CreditNoteView> {
    const invoice = await this.invoices.get(workspaceId, id);
    return presentCreditNote(invoice, requireCreditNote(creditNoteId, invoice.creditNotes));
  }

  @Post('credit-notes/:creditNoteId/void')
  @HttpCode(200)
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Void a credit note that was issued by mistake',
    description:
      'The amount that reduced the unpaid part of an invoice is due again. The amount that was added to the balance is removed from ' +
      'the balance; if the balance is too low by now, the answer is `409 balance_used`. The credit note keeps its number. A credit ' +
      'note cannot be voided if it is refunded to the card (`credit_note_refunded`), unless the refund was refused or failed. A credit ' +
      'note cannot be voided if it is already void (`credit_note_void`), or if it is for voided prepaid credits (`credits_voided`). A ' +
      'credit note that reduced an invoice cannot be voided once that invoice is paid (`invoice_already_paid`).',
  })
  @ApiOkResponse({ type: CreditNoteView })
  async void(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Param('creditNoteId') creditNoteId: string,
    @Body() body: VoidCreditNoteBody,
  ): Promise<CreditNoteView> {
    const command = new VoidCreditNote(context, id, creditNoteId, body.reason ?? null);
    const { invoice, note } = await this.commands.execute(command);
    return presentCreditNote(invoice, note);
  }

  @Get('credit-notes/:creditNoteId/pdf')
  @TakesLong()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'Get a credit note as PDF',
    description: 'The answer is a file of the type `application/pdf`, in the language of the customer.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async pdf(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Param('creditNoteId') creditNoteId: string,
  ): Promise<StreamableFile> {
    const invoice = await this.invoices.get(workspaceId, id);
    const note = requireCreditNote(creditNoteId, invoice.creditNotes);
    const pdf = await this.documents.creditNotePdf(
      workspaceId,
      invoice,
      note,
      await this.billingSettings.ofWorkspace(workspaceId),
    );
    return pdfResponse(pdf, creditNoteFileName(note));
  }

  @Get('credit-notes/:creditNoteId/xml')
  @RequiresPermission('invoices:read')
  @ApiOperation({ summary: 'Get a credit note as e-invoice', description: E_INVOICE_DESCRIPTION })
  @ApiProduces('application/xml')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiConflictResponse({ description: E_INVOICE_CONFLICT_DESCRIPTION })
  async xml(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Param('creditNoteId') creditNoteId: string,
    @Query() { format, profile }: EInvoiceQuery,
  ): Promise<StreamableFile> {
    const invoice = await this.invoices.get(workspaceId, id);
    const note = requireCreditNote(creditNoteId, invoice.creditNotes);
    const xml = await this.documents.creditNoteXml(invoice, note, format, profile);
    return xmlResponse(note.number!, xml);
  }
}
