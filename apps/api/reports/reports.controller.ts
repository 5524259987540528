import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { InvalidRequest, moneyString, Decimal, toCsv, type ListOrder } from '#libs/kernel/core';
import type { Principal } from '#libs/contexts/identity';
import { RECEIVABLE_AGES } from '#libs/contexts/invoicing';
import { earliestInstantOfDate, isDateMoment } from '#libs/contexts/ledger';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CustomerQueries } from '#projections/customers';
import { TaxReportQueries } from '#projections/invoices';
import {
  ReceivablesAgeingQueries,
  type AgeingRequest,
  type CustomerReceivable,
  type InvoiceReceivable,
} from '#projections/ledger';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { csvAnswer, jsonOrCsv, listAnswer, responseHeaderRefs, TakesLong } from '../http/index.js';
import { readReportedMonths } from '../revenue/index.js';
import { presentCustomerAgeing, presentInvoiceAgeing, presentTaxTotal, presentTotals } from './present.js';
import {
  AgeingQuery,
  CustomerAgeingView,
  InvoiceAgeingView,
  TaxReportQuery,
  TaxReportView,
} from './reports.dto.js';

const TAX_COLUMNS = [
  ...(['month', 'currency', 'country', 'taxRateId', 'name', 'percentage', 'exemption', 'documents'] as const),
  ...(['net', 'tax'] as const),
] as const;
const CUSTOMER_AMOUNTS = [...RECEIVABLE_AGES, 'total'] as const;
const CUSTOMER_COLUMNS = ['customerId', 'customerName', 'currency', 'invoices', ...CUSTOMER_AMOUNTS] as const;
const INVOICE_COLUMNS = [
  ...(['customerId', 'customerName', 'invoiceId', 'invoiceNumber', 'currency', 'dueDate'] as const),
  ...(['daysOverdue', 'age', 'amount'] as const),
] as const;

const CUSTOMER_ORDER: ListOrder<CustomerReceivable> = {
  list: 'ageing_customers',
  keyParts: ['text', 'text'],
  keyOf: ({ customerId, currency }) => [customerId, currency],
};
const INVOICE_ORDER: ListOrder<InvoiceReceivable> = {
  list: 'ageing_invoices',
  keyParts: ['text', 'text', 'text'],
  keyOf: ({ customerId, invoiceId, currency }) => [customerId, invoiceId, currency],
};
const AGEING_DESCRIPTION =
  'The amounts are those of the ledger account `accounts_receivable` at the moment, so the totals equal its balance in the trial balance. ' +
  'The age counts from the due date. An amount below zero is a refund that is on its way, and its age is `current`.';

@ApiTags('Reports')
@Controller('v1/reports')
export class ReportsController {
  constructor(
    private readonly ageing: ReceivablesAgeingQueries,
    private readonly taxTotals: TaxReportQueries,
    private readonly customers: CustomerQueries,
    private readonly clock: WorkspaceClock,
  ) {}

  @Get('receivables/customers')
  @TakesLong()
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Get what each customer owes by age, at any moment up to now',
    description: AGEING_DESCRIPTION,
  })
  @ApiExtraModels(CustomerAgeingView)
  @ApiOkResponse({ ...responseHeaderRefs('Next'), ...jsonOrCsv(CustomerAgeingView) })
  async byCustomer(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: AgeingQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CustomerAgeingView | string> {
    const request = await this.ageingRequest(workspaceId, query);
    const names = new Map<string, string>();
    const answer = await listAnswer(
      reply,
      query,
      CUSTOMER_ORDER,
      async (part) => {
        const rows = await this.ageing.byCustomer(workspaceId, request, part);
        await this.addNames(names, workspaceId, rows);
        return rows;
      },
      {
        present: (row) => presentCustomerAgeing(row, names.get(row.customerId)),
        file: {
          name: 'receivables-by-customer',
          columns: CUSTOMER_COLUMNS,
          amounts: CUSTOMER_AMOUNTS,
          rowOf: (row) => ({
            ...row,
            ...amountsOf(CUSTOMER_AMOUNTS, row),
            customerName: names.get(row.customerId) ?? null,
          }),
        },
      },
    );
    return this.withTotals(answer, workspaceId, request);
  }

  @Get('receivables/invoices')
  @TakesLong()
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Get what is owed on each invoice with its age, at any moment up to now',
    description: AGEING_DESCRIPTION,
  })
  @ApiExtraModels(InvoiceAgeingView)
  @ApiOkResponse({ ...responseHeaderRefs('Next'), ...jsonOrCsv(InvoiceAgeingView) })
  async byInvoice(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: AgeingQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InvoiceAgeingView | string> {
    const request = await this.ageingRequest(workspaceId, query);
    const names = new Map<string, string>();
    const answer = await listAnswer(
      reply,
      query,
      INVOICE_ORDER,
      async (part) => {
        const rows = await this.ageing.byInvoice(workspaceId, request, part);
        await this.addNames(names, workspaceId, rows);
        return rows;
      },
      {
        present: (row) => presentInvoiceAgeing(row, names.get(row.customerId)),
        file: {
          name: 'receivables-by-invoice',
          columns: INVOICE_COLUMNS,
          amounts: ['amount'],
          rowOf: (row) => ({
            ...row,
            ...amountsOf(['amount'], row),
            customerName: names.get(row.customerId) ?? null,
          }),
        },
      },
    );
    return this.withTotals(answer, workspaceId, request);
  }

  @Get('taxes')
  @TakesLong()
  @RequiresPermission('ledger:read')
  @ApiOperation({
    summary: 'Get the net amounts and taxes of invoices, by month, currency, country and tax rate',
    description:
      'Credit notes and voids subtract, in the month of their own date. Dates are in the time zone of the invoice. The taxes equal the ' +
      'movements of the ledger account `tax_payable`.',
  })
  @ApiExtraModels(TaxReportView)
  @ApiOkResponse(jsonOrCsv(TaxReportView))
  async taxes(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { format, bom, country, ...query }: TaxReportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TaxReportView | string> {
    const reported = readReportedMonths(query, await this.clock.now(workspaceId));
    const totals = await this.taxTotals.totals(workspaceId, { ...reported, country });
    const { from, to } = reported;
    if (format === 'json') return { from, to, data: totals.map(presentTaxTotal) };
    const rows = totals.map((row) => ({ ...row, ...amountsOf(['net', 'tax'], row) }));
    return csvAnswer(reply, { name: 'taxes', bom }, toCsv(TAX_COLUMNS, rows, ['net', 'tax']));
  }

  private async ageingRequest(workspaceId: string, query: AgeingQuery): Promise<AgeingRequest> {
    const now = await this.clock.now(workspaceId);
    const { at = now, customerId, currency } = query;
    if ((isDateMoment(at) ? earliestInstantOfDate(at) : at) > now)
      throw InvalidRequest.field('at', `must not be ahead of the workspace's clock, which says ${now}`);
    return { at, now, customerId, currency };
  }

  private async addNames(
    names: Map<string, string>,
    workspaceId: string,
    rows: readonly { readonly customerId: string }[],
  ): Promise<void> {
    const ids = [...new Set(rows.map(({ customerId }) => customerId))];
    for (const [id, name] of await this.customers.namesById(workspaceId, ids)) names.set(id, name);
  }

  /** Adds the moment and the totals of the whole list to a page in JSON. */
  private async withTotals<Page extends object>(
    answer: Page | string,
    workspaceId: string,
    request: AgeingRequest,
  ): Promise<(Page & Pick<CustomerAgeingView, 'at' | 'totals'>) | string> {
    if (typeof answer === 'string') return answer;
    const totals = await this.ageing.totals(workspaceId, request);
    return { at: request.at, ...answer, totals: presentTotals(totals) };
  }
}

/** The amounts of a row with the digits of its currency. */
function amountsOf<Name extends string>(
  names: readonly Name[],
  row: Readonly<Record<Name, string>> & { readonly currency: string },
): Record<Name, string> {
  const pairs = names.map((name) => [name, moneyString(new Decimal(row[name]), row.currency)] as const);
  return Object.fromEntries(pairs) as Record<Name, string>;
}
