import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/customers';
import { idFor, type CommandContext } from '#libs/event-store';
import { CreateInvoice, Invoices, type Invoice } from '#libs/invoicing';
import { computeInvoice } from '#libs/rating';
import { BillingTerms } from '../billing-terms.js';
import { readItems } from '../items/read-items.js';

/** What a customer is invoiced by hand. */
export interface ManualInvoice {
  customerId: string;
  /** Default the customer's. */
  currency?: string | undefined;
  /** As {@link readItems} takes them. */
  lines: unknown;
  /** Days from opening to the due date; default the workspace's. */
  netDays?: number | undefined;
  memo?: string | undefined;
  /** Whether it stays a draft until somebody approves it, whatever the workspace's settings are. */
  draft?: boolean | undefined;
}

/**
 * Invoices a customer for what stands on no price, with the customer's taxes; coupons are for subscriptions. NotFound if the customer
 * is not in the workspace, InvalidRequest for lines that cannot be.
 */
export class InvoiceItems extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoice: ManualInvoice,
  ) {
    super();
  }
}

@CommandHandler(InvoiceItems)
export class InvoiceItemsHandler implements ICommandHandler<InvoiceItems> {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: Customers,
    private readonly invoices: Invoices,
    private readonly terms: BillingTerms,
  ) {}

  async execute({ context, invoice }: InvoiceItems): Promise<Invoice> {
    const { accountId, now } = context;
    const { customerId, netDays, memo, draft = false } = invoice;
    const invoiceId = idFor(context, 'inv');
    const before = await this.invoices.find(accountId, invoiceId);
    if (before) return before;
    const items = readItems(invoice.lines, now);
    const customer = await this.customers.require(accountId, customerId);
    const { currency = customer.currency } = invoice;
    const { taxRates, taxExemption } = await this.terms.taxesOf(accountId, customerId);
    const { lines, taxes, total } = computeInvoice({ invoiceId, currency, charges: [], items, taxRates });
    return this.commands.execute(
      new CreateInvoice(context, {
        ...{ invoiceId, customerId, subscriptionId: null, kind: 'manual', currency, lines, total },
        ...(taxes.length > 0 ? { taxes: [...taxes] } : {}),
        ...(taxExemption === undefined ? {} : { taxExemption }),
        ...(memo === undefined ? {} : { memo }),
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
