import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Balances, type BalanceKey } from '#libs/contexts/balances';
import { CurrentBillingSettings, Invoices, isZeroAmount, PayFromBalance } from '#libs/contexts/invoicing';
import { AppError } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';

/** The error codes that mean that the balance cannot pay the invoice now, or need not pay it any more. */
const CANNOT_PAY_NOW = [
  'balance_too_low',
  'payment_in_progress',
  'invoice_not_open',
  'invoice_already_paid',
  'invoice_void',
];

/** Finds in a read model the open invoices of a customer in a currency. */
export abstract class OpenInvoiceFinder {
  /** Returns the ids of the customer's open invoices in the currency with an amount due, by due date. */
  abstract findOpen(workspaceId: string, customerId: string, currency: string): Promise<string[]>;
}

/** Pays open invoices of a customer from the customer's balance, if the billing settings say so. */
@Injectable()
export class OpenInvoiceSettler {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly balances: Balances,
    private readonly settings: CurrentBillingSettings,
    private readonly finder: OpenInvoiceFinder,
  ) {}

  /**
   * Pays the customer's open invoices in the currency from the balance, the one that is due first at first. The last invoice can be paid
   * partly. An invoice with a payment in progress is left out. Does nothing if the balance is zero, or if the setting
   * `balancePaysOpenInvoices` is off. The call is safe to repeat.
   */
  async payFromBalance(context: CommandContext, { customerId, currency }: BalanceKey): Promise<void> {
    const { workspaceId } = context;
    const key = { customerId, currency };
    const isUsedUp = async () => isZeroAmount(await this.balances.availableAmount(workspaceId, key));
    if (await isUsedUp()) return;
    if (!(await this.settings.ofWorkspace(workspaceId)).balancePaysOpenInvoices) return;
    for (const invoiceId of await this.finder.findOpen(workspaceId, customerId, currency)) {
      if (await isUsedUp()) return;
      // The read model can be behind.
      if ((await this.invoices.require(workspaceId, invoiceId)).status !== 'open') continue;
      const payment = new PayFromBalance(followUpContext(context, `settle ${invoiceId}`), invoiceId, null);
      await this.commands.execute(payment).catch((error: unknown) => {
        if (!(error instanceof AppError && CANNOT_PAY_NOW.includes(error.code))) throw error;
      });
    }
  }
}
