import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { firstMomentAfter } from '#libs/kernel/core';
import type { Principal } from '#libs/contexts/identity';
import { creditNoteStatusOf, presentCreditNote, type CreditNote } from '#libs/contexts/invoicing';
import { CreditNoteQueries } from '#projections/credit-notes';
import { InvoiceQueries, type InvoiceDocuments } from '#projections/invoices';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { jsonOrCsv, listAnswer, responseHeaderRefs, TakesLong } from '../http/index.js';
import { AllCreditNotesQuery, CreditNoteList } from './credit-note.dto.js';

const AMOUNTS = ['total', 'unpaidAmount', 'balanceAmount', 'refundAmount'] as const;
const COLUMNS = [
  ...(['id', 'number', 'invoiceId', 'invoiceNumber', 'customerId', 'status', 'reason', 'currency'] as const),
  ...AMOUNTS,
  ...(['refundStatus', 'issuedAt', 'voidedAt', 'memo'] as const),
] as const;

@ApiTags('Invoices')
@Controller('v1/credit-notes')
export class AllCreditNotesController {
  constructor(
    private readonly creditNotes: CreditNoteQueries,
    private readonly invoices: InvoiceQueries,
  ) {}

  @Get()
  @TakesLong()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List the credit notes of all invoices, newest first, as JSON or as a CSV file',
    description:
      'The cursor of the next page is in `next` of a JSON response, and in the header `Next` of a CSV response.',
  })
  @ApiExtraModels(CreditNoteList)
  @ApiOkResponse({ ...responseHeaderRefs('Next'), ...jsonOrCsv(CreditNoteList) })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: AllCreditNotesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreditNoteList | string> {
    const { customerId, invoiceId, number, status, since, until } = query;
    const filter = { customerId, invoiceId, number, status, from: since, to: firstMomentAfter(until) };
    return listAnswer(
      reply,
      query,
      this.creditNotes.listOrder,
      async (part) => {
        const rows = await this.creditNotes.list(workspaceId, filter, part);
        const invoices = await this.invoices.documentsByIds(
          workspaceId,
          rows.map((row) => row.invoiceId),
        );
        // The read model of invoices can be a moment behind. Then it does not have the note yet.
        return rows.map(({ id, createdPosition, invoiceId }) => {
          const invoice = invoices.get(invoiceId);
          const note = invoice?.creditNotes.find(({ creditNoteId }) => creditNoteId === id);
          return { createdPosition, credited: invoice && note && { invoice, note } };
        });
      },
      {
        present: ({ credited }) => credited && presentCreditNote(credited.invoice, credited.note),
        file: {
          name: 'credit-notes',
          columns: COLUMNS,
          amounts: AMOUNTS,
          rowOf: ({ credited }) => credited && cellsOf(credited.invoice, credited.note),
        },
      },
    );
  }
}

function cellsOf(invoice: InvoiceDocuments, note: CreditNote) {
  return {
    id: note.creditNoteId,
    number: note.number,
    invoiceId: invoice.invoiceId,
    invoiceNumber: invoice.number,
    customerId: invoice.customerId,
    status: creditNoteStatusOf(note),
    reason: note.reason,
    currency: invoice.currency,
    total: note.total,
    unpaidAmount: note.unpaid,
    balanceAmount: note.toBalance,
    refundAmount: note.refunded,
    refundStatus: note.refundStatus,
    issuedAt: note.issuedAt,
    voidedAt: note.voidedAt ?? null,
    memo: note.memo,
  };
}
