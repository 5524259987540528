import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { firstMomentAfter } from '#libs/kernel/core';
import type { Principal } from '#libs/contexts/identity';
import { InvoiceQueries } from '#projections/invoices';
import { PaymentQueries } from '#projections/payments';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { jsonOrCsv, listAnswer, responseHeaderRefs, TakesLong } from '../http/index.js';
import { PaymentList, PaymentListQuery } from './payment.dto.js';
import { presentPayment, readPayment } from './present-payment.js';

const AMOUNTS = ['amount', 'balanceCredited'] as const;
const COLUMNS = [
  ...(['id', 'invoiceId', 'invoiceNumber', 'customerId', 'method', 'paymentMethod', 'status'] as const),
  ...(['currency', ...AMOUNTS, 'createdAt', 'paidAt', 'failureCode', 'failureMessage'] as const),
  ...(['reference', 'reversedAt', 'reversalReason'] as const),
] as const;

@ApiTags('Invoices')
@Controller('v1/payments')
export class AllPaymentsController {
  constructor(
    private readonly payments: PaymentQueries,
    private readonly invoices: InvoiceQueries,
  ) {}

  @Get()
  @TakesLong()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List the payments of all invoices, newest first, as JSON or as a CSV file',
    description:
      'The list has the charges of cards, and the recorded payments: those outside the gateway and those from the balance. The cursor ' +
      'of the next page is in `next` of a JSON response, and in the header `Next` of a CSV response.',
  })
  @ApiExtraModels(PaymentList)
  @ApiOkResponse({ ...responseHeaderRefs('Next'), ...jsonOrCsv(PaymentList) })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: PaymentListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentList | string> {
    const { customerId, invoiceId, status, method, since, until } = query;
    const filter = { customerId, invoiceId, status, method, from: since, to: firstMomentAfter(until) };
    return listAnswer(
      reply,
      query,
      this.payments.listOrder,
      async (part) => {
        const rows = await this.payments.list(workspaceId, filter, part);
        const invoices = await this.invoices.documentsByIds(
          workspaceId,
          rows.map((row) => row.invoiceId),
        );
        // The read model of invoices can be a moment behind. Then it does not have the payment yet.
        return rows.map(({ id, createdPosition, invoiceId }) => ({
          createdPosition,
          payment: readPayment(id, invoices.get(invoiceId)),
        }));
      },
      {
        present: ({ payment }) => payment && presentPayment(payment),
        file: {
          name: 'payments',
          columns: COLUMNS,
          amounts: AMOUNTS,
          rowOf: ({ payment }) => payment,
        },
      },
    );
  }
}
