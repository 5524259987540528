import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Principal } from '#libs/contexts/identity';
import {
  PayFromBalance,
  presentInvoice,
  presentRecordedPayment,
  RecordPayment,
  ReversePayment,
  shownRecordedPayments,
} from '#libs/contexts/invoicing';
import type { CommandContext } from '#libs/kernel/event-store';
import { InvoiceQueries } from '#projections/invoices';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery } from '../http/index.js';
import { InvoiceView } from './invoice.dto.js';
import {
  readRequestedPayment,
  RecordedPaymentList,
  RecordPaymentBody,
  ReversePaymentBody,
} from './recorded-payment.dto.js';

@ApiTags('Invoices')
@Controller('v1/invoices/:id/payments')
export class RecordedPaymentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: InvoiceQueries,
  ) {}

  @Post()
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Record a payment outside the payment gateway, or pay from the balance',
    description:
      'The payment pays an open or uncollectible invoice, partly or in full. The response is the invoice, which is paid if no amount is ' +
      'due any more. Answers 400 with `invoice_already_paid` or `invoice_void`. Answers 409 with `invoice_not_open` for a draft, with ' +
      '`payment_in_progress` while the invoice is being paid, and with `balance_too_low` if the balance holds less than the amount.',
  })
  @ApiCreatedResponse({ type: InvoiceView })
  @MayNeedApproval('payment.record')
  async record(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() body: RecordPaymentBody,
  ): Promise<InvoiceView> {
    const payment = readRequestedPayment(body, context.now);
    return presentInvoice(
      await (payment.method === 'balance'
        ? this.commands.execute(new PayFromBalance(context, id, payment.amount))
        : this.commands.execute(new RecordPayment(context, id, payment))),
    );
  }

  @Get()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List the recorded payments of an invoice, oldest first',
    description: 'The list includes reversed payments. Card charges are listed as payment attempts.',
  })
  @ApiOkResponse({ type: RecordedPaymentList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<RecordedPaymentList> {
    const { recordedPayments } = await this.invoices.get(workspaceId, id);
    const rows = shownRecordedPayments(recordedPayments);
    return pageInMemory(
      page,
      { list: 'payments', rows, idOf: ({ paymentId }) => paymentId },
      presentRecordedPayment,
    );
  }

  @Delete(':paymentId')
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Reverse a recorded payment',
    description:
      'Reverse a payment if, for example, a cheque bounced or the recorded amount was wrong. The amount is due again: a paid invoice ' +
      'becomes open, or uncollectible if it had been written off. The amount that the payment added to the balance is removed from the ' +
      'balance; if the balance is too low by now, the answer is `409 balance_used`. A payment from the balance goes back to it. The ' +
      'payment stays on the invoice as `reversed`. Credits that were bought with the invoice stay usable.',
  })
  @ApiOkResponse({ type: InvoiceView })
  async reverse(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Param('paymentId') paymentId: string,
    @Body() { reason }: ReversePaymentBody,
  ): Promise<InvoiceView> {
    return presentInvoice(await this.commands.execute(new ReversePayment(context, id, paymentId, reason)));
  }
}
