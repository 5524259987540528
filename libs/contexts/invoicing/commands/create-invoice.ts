import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DecimalString, type Instant, NotFound, pick } from '#libs/kernel/core';
import {
  Customers,
  customFieldsOrNone,
  type Customer,
  type CustomField,
  type TaxExemption,
} from '#libs/contexts/customers';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { AppliedTax, InvoiceLine } from '#libs/rating';
import { invoiceDecider } from '../decider.js';
import type {
  ChargeInputs,
  CreditsUsed,
  InvoiceDiscount,
  InvoiceKind,
  InvoicePart,
  PurchasedBlock,
  InvoiceDetails,
} from '../events.js';
import type { Invoice } from '../invoice.js';
import { CurrentBillingSettings } from '../settings/current-billing-settings.js';
import { INVOICE_SETTING_NAMES, type BillingSettings, type InvoiceSettings } from '../settings/events.js';

/**
 * An invoice as billing has computed it. `total` is the sum of the lines, less the discounts, plus the taxes that are added. A negative
 * total is set to zero.
 */
export interface NewInvoice extends ChargeInputs {
  /**
   * The invoice id, so that the same bill is invoiced only once. The id of a bill's invoice is derived from the bill. The id of an invoice
   * on request is derived from the command.
   */
  invoiceId: string;
  customerId: string;
  /** Null for an invoice without a subscription, and for an invoice of several subscriptions. */
  subscriptionId: string | null;
  /** One part of the invoice for each subscription. Absent unless the invoice bills several subscriptions. */
  parts?: InvoicePart[];
  kind: InvoiceKind;
  /** The block of prepaid credits that the customer buys with the invoice. Absent if the invoice is not for a purchase of credits. */
  purchasedBlock?: PurchasedBlock;
  currency: string;
  lines: InvoiceLine[];
  /** The used prepaid credits that the invoice shows. Absent if the invoice shows no used credits. */
  creditsUsed?: CreditsUsed[];
  /** The discounts by coupons. Absent if no coupon was used. */
  discounts?: InvoiceDiscount[];
  /** The taxes of the invoice. Absent if the invoice has no taxes. */
  taxes?: AppliedTax[];
  /** The ids of the tax rates for lines that have no tax rates of their own. If absent, all rates in `taxes` apply to these lines. */
  taxRateIds?: string[];
  /** The reason why the customer pays no tax. Personal data. */
  taxExemption?: string;
  total: DecimalString;
  /** The amount by which the invoice gives back more than it charges. If absent, it is zero. */
  excess?: DecimalString;
  /**
   * The start of the billed period. If several periods are billed, it is the earliest start. At a renewal, the billed period is the one
   * that has ended. Each line has its own period.
   */
  periodStart: Instant;
  periodEnd: Instant;
  /** The instant at which the invoice was due to be created. */
  billedAt: Instant;
  memo?: string;
  /** If absent, the customer's purchase order number is used. */
  poNumber?: string;
  /** If absent, the customer's custom fields are used. */
  customFields?: CustomField[];
  /** The settings that differ from the settings of the workspace, and from the customer's language. */
  settings?: Partial<InvoiceSettings>;
}

/** Creates a draft. If the invoice exists already, the command returns it and changes nothing. */
export class CreateInvoice extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoice: NewInvoice,
  ) {
    super();
  }
}

@CommandHandler(CreateInvoice)
export class CreateInvoiceHandler implements ICommandHandler<CreateInvoice> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
    private readonly settings: CurrentBillingSettings,
  ) {}

  async execute({ context, invoice }: CreateInvoice): Promise<Invoice> {
    const { settings: own, ...given } = invoice;
    const [customer, ofWorkspace] = await Promise.all([
      // A deleted customer is still invoiced for its earlier usage.
      this.customers.find(context.workspaceId, invoice.customerId),
      this.settings.ofWorkspace(context.workspaceId),
    ]);
    if (!customer) throw NotFound.of('customer', invoice.customerId);
    const settings = invoiceSettingsOf(ofWorkspace);
    const details = {
      ...given,
      billToName: customer.name,
      billToEmail: customer.billingEmail ?? customer.email,
      ...(customer.address === null ? {} : { billToAddress: customer.address }),
      ...(customer.taxId === null ? {} : { billToTaxId: customer.taxId }),
      ...(given.taxExemption === undefined ? {} : { taxExemptionType: exemptionTypeOf(customer) }),
      ...printedFields(given, customer),
      ...eInvoiceFields(customer),
      timezone: customer.timezone,
      settings: { ...settings, language: customer.language ?? settings.language, ...own },
    };
    const { invoiceId } = invoice;
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'CreateInvoice', at: context.now, invoiceId, details } as const;
    return (await this.aggregates.execute(invoiceDecider, id, context, command)).state;
  }
}

/** Returns the billing settings that are copied to a new invoice. */
function invoiceSettingsOf(settings: BillingSettings): InvoiceSettings {
  return pick(settings, INVOICE_SETTING_NAMES);
}

/** The kind of an exemption. It is `exempt` if the seller, and not the customer, has the reason for it. */
function exemptionTypeOf({ taxExemptReason, taxExemptType }: Customer): TaxExemption {
  return taxExemptReason === null ? 'exempt' : taxExemptType;
}

/** What only e-invoices state of the customer. */
function eInvoiceFields({
  buyerReference = null,
  electronicAddress = null,
  eInvoiceProfile = null,
}: Customer): Pick<InvoiceDetails, 'buyerReference' | 'billToElectronicAddress' | 'eInvoiceProfile'> {
  return {
    ...(buyerReference === null ? {} : { buyerReference }),
    ...(electronicAddress === null ? {} : { billToElectronicAddress: electronicAddress }),
    ...(eInvoiceProfile === null ? {} : { eInvoiceProfile }),
  };
}

/**
 * The purchase order number and the custom fields of the invoice. If the invoice has no purchase order number or custom fields, those of
 * the customer are used.
 */
function printedFields(
  invoice: Pick<NewInvoice, 'poNumber' | 'customFields'>,
  customer: Customer,
): Pick<NewInvoice, 'poNumber' | 'customFields'> {
  const poNumber = invoice.poNumber ?? customer.poNumber ?? null;
  const customFields = invoice.customFields ?? customFieldsOrNone(customer.customFields);
  return {
    ...(poNumber === null ? {} : { poNumber }),
    ...(customFields.length === 0 ? {} : { customFields }),
  };
}
