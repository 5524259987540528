import { Controller, Get, Inject, Param, Query, Res, StreamableFile, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { NotFound } from '#libs/kernel/core';
import type { Settings } from '#libs/kernel/system';
import {
  creditNoteFileName,
  hasReceipt,
  makeHostedInvoicePage,
  InvoiceDocuments,
  invoiceFileName,
  receiptFileName,
  type WebPage,
} from '#libs/outputs/documents';
import { InvoicePayments } from '#libs/contexts/collection';
import { WorkspaceNames } from '#libs/contexts/identity';
import {
  amountToPay,
  hostedInvoiceUrl,
  CurrentBillingSettings,
  requireCreditNote,
} from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { SETTINGS } from '#libs/kernel/app';
import { Public } from '../http/auth/index.js';
import { TakesLong } from '../http/index.js';
import { pdfResponse } from '../invoices/pdf-response.js';
import { HostedPageFilter } from './hosted-page.filter.js';
import { LinkedInvoices } from './linked-invoices.js';
import { setPageHeaders, setPrivateHeaders } from './page-headers.js';

/** The page that the link of an invoice opens. The token in the URL is the credential, and gives access to only this invoice. */
@ApiTags('Hosted invoice')
@Public()
@UseFilters(HostedPageFilter)
@Controller('i/:token')
export class HostedInvoiceController {
  constructor(
    private readonly links: LinkedInvoices,
    private readonly payments: InvoicePayments,
    private readonly gateways: PaymentGateways,
    private readonly workspaces: WorkspaceNames,
    private readonly documents: InvoiceDocuments,
    private readonly billingSettings: CurrentBillingSettings,
    private readonly clock: WorkspaceClock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Show the page where the customer can view and pay an invoice',
    description: 'The answer is an HTML page. The token in the path is the only credential.',
  })
  @ApiProduces('text/html')
  @ApiOkResponse({ schema: { type: 'string' } })
  async view(
    @Param('token') token: string,
    @Query('shown') shown: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const { customerId } = invoice;
    const [sellerName, brand, gateway, mode, card, canAddCard, now] = await Promise.all([
      this.workspaces.nameOf(workspaceId),
      this.billingSettings.ofWorkspace(workspaceId),
      this.gateways.find(workspaceId),
      this.clock.readMode(workspaceId),
      this.payments.defaultPaymentMethod(workspaceId, customerId),
      this.payments.canAddPaymentMethod(workspaceId, customerId),
      this.clock.now(workspaceId),
    ]);
    const payment = {
      cardOnFile: card?.label ?? null,
      canTakePayments: gateway !== undefined,
      canAddCard,
      isSandbox: mode === 'sandbox',
      amountHasChanged: shown !== undefined && shown !== amountToPay(invoice),
      now,
    };
    const page = makeHostedInvoicePage(invoice, token, sellerName, payment, brand);
    setPageHeaders(reply, mode === 'sandbox' ? page : withFormsThatLeave(page));
    return page.html;
  }

  @Get('pdf')
  @TakesLong()
  @ApiOperation({
    summary: 'Get the invoice as PDF',
    description: 'The token in the path is the only credential.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async pdf(
    @Param('token') token: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const sellerName = await this.workspaces.nameOf(workspaceId);
    const pdf = await this.documents.invoicePdf(
      workspaceId,
      invoice,
      sellerName,
      hostedInvoiceUrl(this.settings, token),
      await this.billingSettings.ofWorkspace(workspaceId),
      { viaLink: true, isSandbox: (await this.clock.readMode(workspaceId)) === 'sandbox' },
    );
    setPrivateHeaders(reply);
    return pdfResponse(pdf, invoiceFileName(invoice));
  }

  @Get('receipt')
  @TakesLong()
  @ApiOperation({
    summary: 'Get the receipt of a paid invoice as PDF',
    description: 'The token in the path is the only credential. An invoice that is not paid has no receipt.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async receipt(
    @Param('token') token: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    if (!hasReceipt(invoice))
      throw new NotFound(
        'receipt_not_found',
        'The invoice has no receipt, because no payment was made for it',
      );
    const pdf = await this.documents.receiptPdf(
      workspaceId,
      invoice,
      await this.billingSettings.ofWorkspace(workspaceId),
      { viaLink: true },
    );
    setPrivateHeaders(reply);
    return pdfResponse(pdf, receiptFileName(invoice));
  }

  @Get('credit-notes/:creditNoteId/pdf')
  @TakesLong()
  @ApiOperation({
    summary: 'Get a credit note of the invoice as PDF',
    description: 'The token in the path is the only credential.',
  })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async creditNotePdf(
    @Param('token') token: string,
    @Param('creditNoteId') creditNoteId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { workspaceId, invoice } = await this.links.open(token, reply);
    const note = requireCreditNote(creditNoteId, invoice.creditNotes);
    const pdf = await this.documents.creditNotePdf(
      workspaceId,
      invoice,
      note,
      await this.billingSettings.ofWorkspace(workspaceId),
      { viaLink: true },
    );
    setPrivateHeaders(reply);
    return pdfResponse(pdf, creditNoteFileName(note));
  }
}

/**
 * Allows the form that confirms a payment to redirect to the page of the bank. Browsers apply the CSP directive `form-action` to redirects
 * too.
 */
function withFormsThatLeave(page: WebPage): WebPage {
  const contentSecurityPolicy = page.contentSecurityPolicy.replace(
    "form-action 'self'",
    "form-action 'self' https:",
  );
  return { ...page, contentSecurityPolicy };
}
