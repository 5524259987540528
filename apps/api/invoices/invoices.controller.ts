import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { firstMomentAfter } from '#libs/kernel/core';
import { CreateManualInvoice } from '#libs/contexts/billing';
import { SETTINGS } from '#libs/kernel/app';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { Settings } from '#libs/kernel/system';
import { InvoiceDocuments, invoiceFileName, receiptFileName } from '#libs/outputs/documents';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceNames, type Principal } from '#libs/contexts/identity';
import { PayInvoice, requirePaid } from '#libs/contexts/collection';
import {
  hostedInvoiceUrl,
  CurrentBillingSettings,
  InvoiceLinkTokens,
  MarkUncollectible,
  InvoiceLookup,
  OpenInvoice,
  presentInvoice,
  presentPaymentAttempt,
  VoidInvoice,
} from '#libs/contexts/invoicing';
import { InvoiceQueries, type InvoiceFilter } from '#projections/invoices';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, readPage, PageQuery, TakesLong } from '../http/index.js';
import { InvoiceLinkView, InvoiceList, InvoiceView } from './invoice.dto.js';
import {
  E_INVOICE_CONFLICT_DESCRIPTION,
  E_INVOICE_DESCRIPTION,
  EInvoiceQuery,
  xmlResponse,
} from './e-invoice.dto.js';
import { readInvoiceListPage } from './invoice-list-page.js';
import { pdfResponse } from './pdf-response.js';
import { CreateInvoiceBody, InvoiceListQuery, VoidInvoiceBody } from './invoice-request.dto.js';
import { PaymentAttemptList } from './payment-attempt.dto.js';

@ApiTags('Invoices')
@Controller('v1/invoices')
export class InvoicesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: InvoiceQueries,
    private readonly names: InvoiceLookup,
    private readonly links: InvoiceLinkTokens,
    private readonly workspaces: WorkspaceNames,
    private readonly documents: InvoiceDocuments,
    private readonly billingSettings: CurrentBillingSettings,
    private readonly clock: WorkspaceClock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Create an invoice for a customer with lines that you choose',
    description:
      'Each line is taxed at its `taxRateIds`, or else at the tax rates of the customer. A tax-exempt customer pays no tax. The billing ' +
      'settings decide whether the invoice opens automatically, unless `draft` is true, and whether it is charged automatically. An ' +
      'invoice that opens at once is answered as it is then: `open` with its number, `paid` by the balance, or `void` if ' +
      '`skipZeroInvoices` says so. A card is charged after the answer. `opensAt` says when a draft with a grace period opens.',
  })
  @ApiCreatedResponse({ type: InvoiceView })
  async create(@Context() context: CommandContext, @Body() body: CreateInvoiceBody): Promise<InvoiceView> {
    return presentInvoice(await this.commands.execute(new CreateManualInvoice(context, body)));
  }

  @Get()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List invoices, newest first',
    description:
      'The list can be filtered by customer, subscription, status, printed number and time of issue. `pagination` has the ' +
      'number of matching invoices.',
  })
  @ApiOkResponse({ type: InvoiceList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: InvoiceListQuery,
  ): Promise<InvoiceList> {
    const { page, ...range } = readInvoiceListPage(query);
    const filter = await this.filterOf(workspaceId, query);
    const isCounted = range.after === undefined;
    let total = 0;
    const list = await readPage(
      range,
      this.invoices.listOrder,
      async (part) => {
        if (!filter) return [];
        if (!isCounted) return this.invoices.list(workspaceId, part, filter);
        const found = await this.invoices.listAndCount(workspaceId, part, filter);
        total = found.total;
        return found.elements;
      },
      ({ shown }) => presentInvoice(shown),
    );
    return isCounted ? { ...list, pagination: { total, page, pageSize: range.limit } } : list;
  }

  @Get(':id')
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'Get an invoice',
    description:
      'The response has the lines, the discounts, the taxes and the amount that is still due, in the currency of the invoice.',
  })
  @ApiOkResponse({ type: InvoiceView })
  async get(@CurrentPrincipal() { workspaceId }: Principal, @Param('id') id: string): Promise<InvoiceView> {
    return presentInvoice(await this.invoices.get(workspaceId, id));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Approve a draft: it gets a number and becomes open, or paid if nothing is due',
    description: 'The billing settings decide whether the invoice is charged afterwards.',
  })
  @ApiOkResponse({ type: InvoiceView })
  async approve(@Context() context: CommandContext, @Param('id') id: string): Promise<InvoiceView> {
    return presentInvoice(await this.commands.execute(new OpenInvoice(context, id)));
  }

  @Post(':id/pay')
  @HttpCode(200)
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Pay an invoice with the card on file; a draft is approved first',
    description:
      'Answers 400 if the invoice is paid or void: `invoice_already_paid` or `invoice_void`. Answers 409 if the charge does not pay it: ' +
      '`payment_declined`, `payment_action_required`, `payment_in_progress`, `no_payment_method` or `no_payment_gateway`. Every charge ' +
      'is listed under the payment attempts.',
  })
  @ApiOkResponse({ type: InvoiceView })
  async pay(@Context() context: CommandContext, @Param('id') id: string): Promise<InvoiceView> {
    return presentInvoice(requirePaid(await this.commands.execute(new PayInvoice(context, id))));
  }

  @Post(':id/void')
  @HttpCode(200)
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Void an invoice that is not paid',
    description:
      'A draft can be voided too. If the voided invoice gave back amounts of earlier invoices, these amounts count as billed again. An ' +
      'invoice cannot be voided if a later invoice gave back part of it (`invoice_given_back`). Issue a credit note for the rest, or ' +
      'void the later invoice first, if the later invoice is not paid. Before the void, void the credit notes of the invoice ' +
      '(`invoice_credited`) and reverse its payments (`invoice_partly_paid`).',
  })
  @ApiOkResponse({ type: InvoiceView })
  @MayNeedApproval('invoice.void')
  async void(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() body: VoidInvoiceBody,
  ): Promise<InvoiceView> {
    return presentInvoice(await this.commands.execute(new VoidInvoice(context, id, body.reason ?? null)));
  }

  @Post(':id/mark-uncollectible')
  @HttpCode(200)
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Write off an open invoice; the customer can still pay it',
    description: 'The ledger books the amount due as bad debt. A later payment recovers the debt.',
  })
  @ApiOkResponse({ type: InvoiceView })
  @MayNeedApproval('invoice.mark_uncollectible')
  async markUncollectible(@Context() context: CommandContext, @Param('id') id: string): Promise<InvoiceView> {
    return presentInvoice(await this.commands.execute(new MarkUncollectible(context, id)));
  }

  @Get(':id/payment-attempts')
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'List every charge attempt, oldest first',
    description:
      'Each attempt has its amount, its payment method, its result, and the reason of a failure. Recorded payments are not ' +
      'attempts.',
  })
  @ApiOkResponse({ type: PaymentAttemptList })
  async paymentAttempts(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<PaymentAttemptList> {
    const { attempts: rows } = await this.invoices.get(workspaceId, id);
    return pageInMemory(
      page,
      { list: 'payment_attempts', rows, idOf: ({ attemptId }) => attemptId },
      presentPaymentAttempt,
    );
  }

  @Get(':id/link')
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'Get the link to the page where the customer can view and pay the invoice',
    description:
      'The link contains a secret token and needs no other credential. Each request gets the same link, which does not ' +
      'expire.',
  })
  @ApiOkResponse({ type: InvoiceLinkView })
  async link(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<InvoiceLinkView> {
    const { invoiceId } = await this.invoices.get(workspaceId, id);
    return { url: await this.linkOf(workspaceId, invoiceId), expiresAt: null };
  }

  @Get(':id/pdf')
  @TakesLong()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'Get the invoice as PDF',
    description: 'The answer is a file of the type `application/pdf`, in the language of the customer.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async pdf(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<StreamableFile> {
    const invoice = await this.invoices.get(workspaceId, id);
    const sellerName = await this.workspaces.nameOf(workspaceId);
    const pdf = await this.documents.invoicePdf(
      workspaceId,
      invoice,
      sellerName,
      await this.linkOf(workspaceId, id),
      await this.billingSettings.ofWorkspace(workspaceId),
      { isSandbox: (await this.clock.readMode(workspaceId)) === 'sandbox' },
    );
    return pdfResponse(pdf, invoiceFileName(invoice));
  }

  @Get(':id/receipt')
  @TakesLong()
  @RequiresPermission('invoices:read')
  @ApiOperation({
    summary: 'Get the receipt of a paid invoice as PDF',
    description:
      'The receipt says when and how the invoice was paid. `409 not_paid`: the invoice is not paid yet, or only credit notes or the ' +
      'balance paid it.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  @ApiConflictResponse({ description: 'No payment has paid the invoice (`not_paid`).' })
  async receipt(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<StreamableFile> {
    const invoice = await this.invoices.get(workspaceId, id);
    return pdfResponse(
      await this.documents.receiptPdf(
        workspaceId,
        invoice,
        await this.billingSettings.ofWorkspace(workspaceId),
      ),
      receiptFileName(invoice),
    );
  }

  @Get(':id/xml')
  @RequiresPermission('invoices:read')
  @ApiOperation({ summary: 'Get the invoice as e-invoice', description: E_INVOICE_DESCRIPTION })
  @ApiProduces('application/xml')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiConflictResponse({ description: E_INVOICE_CONFLICT_DESCRIPTION })
  async xml(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() { format, profile }: EInvoiceQuery,
  ): Promise<StreamableFile> {
    const invoice = await this.invoices.get(workspaceId, id);
    const xml = await this.documents.invoiceXml(invoice, format, profile);
    return xmlResponse(invoice.number!, xml);
  }

  /** Returns the filter of the invoice list, or undefined if no invoice has the requested number. */
  private async filterOf(
    workspaceId: string,
    { status, number, ...query }: InvoiceListQuery,
  ): Promise<InvoiceFilter | undefined> {
    const { customer_id: customerId, subscription_id: subscriptionId, since: issuedFrom, until } = query;
    const issuedBefore = firstMomentAfter(until);
    const invoiceId = number === undefined ? undefined : await this.names.findIdByNumber(workspaceId, number);
    if (number !== undefined && invoiceId === undefined) return undefined;
    return {
      ...(invoiceId ? { invoiceId } : {}),
      ...(status ? { status } : {}),
      ...(customerId ? { customerId } : {}),
      ...(subscriptionId ? { subscriptionId } : {}),
      ...(issuedFrom ? { issuedFrom } : {}),
      ...(issuedBefore ? { issuedBefore } : {}),
    };
  }

  private async linkOf(workspaceId: string, invoiceId: string): Promise<string> {
    return hostedInvoiceUrl(this.settings, await this.links.getOrCreateToken(workspaceId, invoiceId));
  }
}
