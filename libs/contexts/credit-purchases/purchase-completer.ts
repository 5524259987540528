import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { BillingTermsFinder, priceItems } from '#libs/contexts/billing';
import { InvoicePayments, PayInvoice } from '#libs/contexts/collection';
import { CreditTypes, WalletStore, type UnpaidPurchase, type WalletKey } from '#libs/contexts/credits';
import { CreateInvoice, Invoices, OpenInvoice, type Invoice } from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { timezoneOfDates, describeLine, type InvoiceItem } from '#libs/rating';
import {
  Decimal,
  deriveUuid,
  InvalidRequest,
  moneyString,
  sumOf,
  storedTranslations,
} from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';

/**
 * Creates invoices for purchases of credits, and makes the credits usable when the invoices are paid. Each step can be repeated, and
 * several processes can run the same step at once. The client's request runs the steps. The saga also runs the steps, in case the process
 * of the client's request has stopped. Only the saga runs the steps of an automatic top-up.
 */
@Injectable()
export class PurchaseCompleter {
  constructor(
    private readonly commands: CommandBus,
    private readonly terms: BillingTermsFinder,
    private readonly creditTypes: CreditTypes,
    private readonly gateways: PaymentGateways,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
    private readonly wallets: WalletStore,
  ) {}

  /**
   * Creates and opens the invoice. Charges the card if the purchase's `collection` is `charge`. Activates the block if the invoice is paid.
   */
  async complete(context: CommandContext, key: WalletKey, purchase: UnpaidPurchase): Promise<Invoice> {
    const steps = purchaseCommandContext(context, purchase.blockId);
    const created = await this.createInvoice(steps, key, purchase);
    if (created.status === 'draft')
      await unlessRefused(
        this.commands.execute(new OpenInvoice(followUpContext(steps, 'open'), created.invoiceId)),
      );
    if (purchase.collection === 'charge') await this.chargeCard(followUpContext(steps, 'charge'), created);
    const invoice = await this.invoices.require(context.workspaceId, created.invoiceId);
    if (invoice.status === 'paid') await this.makeCreditsUsable(context, key, invoice);
    return invoice;
  }

  /** Creates the draft invoice of a purchase. If the invoice exists already, returns it. */
  async createInvoice(
    context: CommandContext,
    { customerId, creditType }: WalletKey,
    purchase: UnpaidPurchase,
  ): Promise<Invoice> {
    const { workspaceId, now } = context;
    const { invoiceId, blockId, amount, currency, description, createdAt } = purchase;
    const existing = await this.invoices.find(workspaceId, invoiceId);
    if (existing) return existing;
    const { name, nameTranslations, unitPrice } = await this.creditTypes.require(workspaceId, creditType);
    const item: InvoiceItem = {
      type: 'credit_purchase',
      creditType,
      description: describeLine(name, 'purchase'),
      ...storedTranslations(nameTranslations),
      quantity: amount,
      unitPrice: purchase.unitPrice ?? unitPrice,
      period: { start: createdAt, end: createdAt },
    };
    const { taxExemption, ...taxes } = await this.terms.findCustomerTaxRates(workspaceId, customerId);
    const { excess: _, ...amounts } = priceItems([item], { invoiceId, currency }, { ...taxes, coupons: [] });
    return this.commands.execute(
      new CreateInvoice(followUpContext(purchaseCommandContext(context, blockId), 'create'), {
        invoiceId,
        customerId,
        subscriptionId: null,
        kind: 'credit_purchase',
        currency,
        purchasedBlock: { creditType, blockId },
        ...amounts,
        billedAt: now,
        ...(taxExemption === undefined ? {} : { taxExemption }),
        ...(description === null ? {} : { memo: description }),
        periodStart: createdAt,
        periodEnd: createdAt,
        // The purchase itself opens and charges its invoice, so the workspace's settings for drafts and payments do not apply.
        settings: { autoApprove: false, autoCollect: false, gracePeriodHours: 0, skipZeroInvoices: false },
      }),
    );
  }

  /**
   * Charges the card on file. The invoice stays open if there is no card or gateway, or if the charge fails. Charges nothing if another
   * charge was made since the invoice was read.
   */
  async chargeCard(context: CommandContext, { invoiceId, customerId, attempts }: Invoice): Promise<void> {
    const { workspaceId } = context;
    if (!(await this.gateways.find(workspaceId))) return;
    if (!(await this.payments.canChargeAutomatically(workspaceId, customerId))) return;
    const last = attempts.at(-1);
    const condition = last ? { newestAttempt: last.attemptId } : {};
    await unlessRefused(this.commands.execute(new PayInvoice(context, invoiceId, condition)));
  }

  /** Makes the credits of a paid invoice usable. Does nothing if the credits are usable already. */
  async makeCreditsUsable(context: CommandContext, key: WalletKey, invoice: Invoice): Promise<void> {
    const { workspaceId } = context;
    const { blockId } = invoice.purchasedBlock!;
    const terms = await this.creditTypes.require(workspaceId, key.creditType);
    await this.wallets.change(
      followUpContext(purchaseCommandContext(context, blockId), 'activate'),
      { workspaceId, ...key },
      {
        type: 'ActivatePurchase',
        blockId,
        terms,
        timezone: timezoneOfDates(invoice),
        costBasis: amountWithoutTaxes(invoice),
      },
    );
  }

  /** Ends the purchase of an invoice that was voided. Does nothing if the purchase has ended already. */
  async endVoidedPurchase(context: CommandContext, key: WalletKey, blockId: string): Promise<void> {
    const { workspaceId } = context;
    const change = { type: 'VoidPurchase', blockId } as const;
    await this.wallets.change(endOf(context, blockId), { workspaceId, ...key }, change);
  }

  /** Tells whether {@link endVoidedPurchase} has ended the purchase of a block. */
  async hasEndedPurchase(context: CommandContext, key: WalletKey, blockId: string): Promise<boolean> {
    const { workspaceId } = context;
    return this.wallets.hasRunCommand(endOf(context, blockId), { workspaceId, ...key });
  }
}

function endOf(context: CommandContext, blockId: string): CommandContext {
  return followUpContext(purchaseCommandContext(context, blockId), 'end');
}

/** Returns the command context of a purchase's steps. The context is the same in every process, so each step takes effect once. */
function purchaseCommandContext(context: CommandContext, blockId: string): CommandContext {
  return {
    ...context,
    commandId: deriveUuid('credit-purchase', context.workspaceId, blockId),
    idTime: undefined,
    mayRepeat: true,
  };
}

function amountWithoutTaxes({ total, taxes = [], currency }: Invoice) {
  return moneyString(new Decimal(total).minus(sumOf(taxes.map(({ amount }) => amount))), currency);
}

/** Ignores the refusal of a command: the invoice was already opened, paid or voided, or cannot be charged. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof InvalidRequest)) throw error;
  });
}
