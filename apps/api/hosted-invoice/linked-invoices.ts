import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NotFound } from '#libs/kernel/core';
import { InvoiceLinkTokens, Invoices, type Invoice } from '#libs/contexts/invoicing';

/** The invoices behind links. The token of a link is the credential, and gives access to only its invoice. */
@Injectable()
export class LinkedInvoices {
  constructor(
    private readonly tokens: InvoiceLinkTokens,
    private readonly invoices: Invoices,
  ) {}

  /** Finds the invoice that a link belongs to. All responses after this call are in the language of the invoice, including errors. */
  async open(token: string, reply: FastifyReply): Promise<{ workspaceId: string; invoice: Invoice }> {
    const linked = await this.tokens.findInvoice(token);
    if (!linked) throw new NotFound('invoice_not_found', 'There is no invoice behind this link');
    const { workspaceId, invoiceId } = linked;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    void reply.header('Content-Language', invoice.settings.language);
    return { workspaceId, invoice };
  }
}
