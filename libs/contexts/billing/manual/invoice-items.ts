import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Decimal, InvalidRequest, type DecimalString } from '#libs/kernel/core';
import { Customers, type CustomField } from '#libs/contexts/customers';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { CreateInvoice, DraftOpener, Invoices, type Invoice } from '#libs/contexts/invoicing';
import { BillingTermsFinder } from '../price/billing-terms-finder.js';
import type { ApplicableCoupon } from '../price/applicable-coupons.js';
import { ManualInvoiceCouponReserver, type ManualInvoiceAmounts } from './manual-invoice-coupon-reserver.js';
import { priceItems } from '../invoice/priced-items.js';
import { readInvoiceItems } from './read-items.js';

/** The request for a manual invoice. */
export interface ManualInvoiceRequest {
  customerId: string;
  /** Default: the customer's currency. */
  currency?: string | undefined;
  /** The lines of the request body, which {@link readInvoiceItems} checks. */
  lines: unknown;
  /** The ids of the coupons to use. A coupon that the customer does not have is applied to the customer first. */
  coupons?: readonly string[] | undefined;
  /** The number of days from opening to the due date. Default: the workspace's setting. */
  netDays?: number | undefined;
  /** The seller's remark, which is printed on the invoice. */
  memo?: string | undefined;
  /** The purchase order number. Default: the customer's purchase order number. */
  poNumber?: string | undefined;
  /** Default: the customer's custom fields. */
  customFields?: CustomField[] | undefined;
  /** True if the invoice must stay a draft until a user approves it, whatever the workspace's settings say. */
  draft?: boolean | undefined;
}

/**
 * Creates a manual invoice for items without a price in the catalog, and opens it if its settings open it at once. Each line of a manual invoice can name its tax rates. The customer's
 * tax rates apply to a line without `taxRateIds`. A line with an empty list is not taxed. A tax-exempt customer pays no tax on any line.
 * Throws NotFound if the customer or a coupon is not in the workspace. Throws InvalidRequest for invalid lines, tax rates and coupons, and
 * for a negative total.
 */
export class CreateManualInvoice extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoice: ManualInvoiceRequest,
  ) {
    super();
  }
}

@CommandHandler(CreateManualInvoice)
export class CreateManualInvoiceHandler implements ICommandHandler<CreateManualInvoice> {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: Customers,
    private readonly invoices: Invoices,
    private readonly terms: BillingTermsFinder,
    private readonly coupons: ManualInvoiceCouponReserver,
    private readonly opener: DraftOpener,
  ) {}

  async execute({ context, invoice }: CreateManualInvoice): Promise<Invoice> {
    return this.opener.openForAnswer(context, await this.create(context, invoice));
  }

  private async create(context: CommandContext, invoice: ManualInvoiceRequest): Promise<Invoice> {
    const { workspaceId, now } = context;
    const { customerId, netDays, memo, poNumber, customFields, draft = false } = invoice;
    const invoiceId = idFor(context, 'inv');
    const before = await this.invoices.find(workspaceId, invoiceId);
    if (before) return before;
    const items = readInvoiceItems(invoice.lines, now);
    const customer = await this.customers.require(workspaceId, customerId);
    const { currency = customer.currency } = invoice;
    await this.terms.requireUsableTaxRates(workspaceId, items);
    const agreed = await this.terms.findCustomerTaxRates(workspaceId, customerId);
    const { taxExemption, ...taxed } = await this.terms.addNamedTaxRates(workspaceId, agreed, items);
    const target = { invoiceId, customerId, currency };
    const price = (coupons: readonly ApplicableCoupon[]): ManualInvoiceAmounts => {
      const { excess, ...amounts } = priceItems(items, target, { ...taxed, coupons });
      requireNotNegative(excess, currency, coupons.length > 0);
      return amounts;
    };
    const amounts = await this.coupons.priceAndReserveCoupons(context, target, invoice.coupons ?? [], price);
    return this.commands.execute(
      new CreateInvoice(context, {
        invoiceId,
        customerId,
        subscriptionId: null,
        kind: 'manual',
        currency,
        ...amounts,
        ...(taxExemption === undefined ? {} : { taxExemption }),
        ...(memo === undefined ? {} : { memo }),
        ...(poNumber === undefined ? {} : { poNumber }),
        ...(customFields === undefined ? {} : { customFields }),
        periodStart: items.map(({ period }) => period.start).sort()[0]!,
        periodEnd: items
          .map(({ period }) => period.end)
          .sort()
          .at(-1)!,
        billedAt: now,
        settings: {
          ...(draft ? { autoApprove: false } : {}),
          ...(netDays === undefined ? {} : { netDays }),
        },
      }),
    );
  }
}

/** Refuses an invoice with a negative total. Coupons discount only the positive lines, so they can make the total negative. */
function requireNotNegative(excess: DecimalString, currency: string, isDiscounted: boolean): void {
  if (new Decimal(excess).lte(0)) return;
  const [less, remedy] = isDiscounted
    ? [' less their coupons, which discount the lines above zero', 'leave a coupon out']
    : ['', 'give something back with a credit note'];
  throw InvalidRequest.field(
    'lines',
    `sum to -${excess} ${currency}${less}, and an invoice cannot be negative; ${remedy}`,
  );
}
