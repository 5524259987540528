import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { UpcomingInvoicePreviewer } from '#libs/contexts/billing';
import type { PortalPrincipal } from '#libs/contexts/identity';
import { InvoiceQueries } from '#projections/invoices';
import { CurrentCustomer, PortalOnly } from '../http/auth/index.js';
import { readPage } from '../http/index.js';
import { PortalLanguageFinder } from './portal-language.js';
import {
  PortalInvoiceList,
  PortalInvoiceQuery,
  PortalUpcomingQuery,
  PortalUpcomingView,
} from './portal-invoice.dto.js';
import { InvoicePageUrlFinder } from './invoice-page-url-finder.js';
import { PortalSubscriptionFinder } from './portal-subscription-finder.js';
import { presentPortalInvoice, presentPortalUpcoming } from './present.js';
import { hideSqlInErrors } from './sql-failures.js';

/** Shows customers their own invoices. */
@ApiTags('Customer portal')
@PortalOnly()
@Controller('v1/portal')
export class PortalInvoicesController {
  constructor(
    private readonly languages: PortalLanguageFinder,
    private readonly invoices: InvoiceQueries,
    private readonly links: InvoicePageUrlFinder,
    private readonly subscriptions: PortalSubscriptionFinder,
    private readonly upcomingInvoices: UpcomingInvoicePreviewer,
  ) {}

  @Get('invoices')
  @ApiOperation({
    summary: 'List the invoices of the customer, newest first',
    description: 'Each invoice has the URLs of its page and of its PDF. Drafts are not listed.',
  })
  @ApiOkResponse({ type: PortalInvoiceList })
  async list(
    @CurrentCustomer() { workspaceId, customerId }: PortalPrincipal,
    @Query() { status, ...page }: PortalInvoiceQuery,
  ): Promise<PortalInvoiceList> {
    const filter = { customerId, issued: true, ...(status ? { status } : {}) } as const;
    const { data, ...more } = await readPage(
      page,
      this.invoices.listOrder,
      (part) => this.invoices.list(workspaceId, part, filter),
      ({ shown }) => shown,
    );
    const ids = data.map(({ invoiceId }) => invoiceId);
    const pages = await this.links.pageUrlsOf(workspaceId, ids);
    return {
      data: data.map((invoice) => presentPortalInvoice(invoice, pages.get(invoice.invoiceId)!)),
      ...more,
    };
  }

  @Get('upcoming')
  @ApiOperation({
    summary: 'Preview the next invoice of a subscription, with the usage so far',
    description:
      'Nothing is stored. Amounts are in the currency of the subscription, with the present discounts and taxes.',
  })
  @ApiOkResponse({ type: PortalUpcomingView })
  async upcoming(
    @CurrentCustomer() customer: PortalPrincipal,
    @Query() { subscriptionId: asked }: PortalUpcomingQuery,
  ): Promise<PortalUpcomingView> {
    const { subscriptionId } = await this.subscriptions.require(customer, asked);
    const preview = this.upcomingInvoices.preview(customer.workspaceId, subscriptionId);
    return presentPortalUpcoming(await hideSqlInErrors(preview), await this.languages.find(customer));
  }
}
