import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Balances, type BalanceKey } from '#libs/contexts/balances';
import { amountToPay, CurrentBillingSettings, Invoices, PayFromBalance } from '#libs/contexts/invoicing';
import { AppError, Decimal, moneyString, type DecimalString } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';

/** The error codes that mean that the balance cannot pay the invoice now, or need not pay it any more. */
const CANNOT_PAY_NOW = [
  'balance_too_low',
  'payment_in_progress',
  'invoice_not_open',
  'invoice_already_paid',
  'invoice_void',
];

/** Finds in a read model the open invoices of a customer. */
export abstract class OpenInvoiceFinder {
  /** Returns the ids of the customer's open invoices with an amount due, by due date: in the currency, or null for every currency. */
  abstract findOpen(workspaceId: string, customerId: string, currency: string | null): Promise<string[]>;
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
   * `balancePaysOpenInvoices` is off. If the setting is off, at most `always` is paid: an amount that pays debts whatever the setting says.
   * The call is safe to repeat.
   */
  async payFromBalance(
    context: CommandContext,
    { customerId, currency }: BalanceKey,
    { always }: { always?: DecimalString } = {},
  ): Promise<void> {
    const { workspaceId } = context;
    const key = { customerId, currency };
    const isUsedUp = async () => new Decimal(await this.balances.availableAmount(workspaceId, key)).lte(0);
    if (await isUsedUp()) return;
    const { balancePaysOpenInvoices: isOn } = await this.settings.ofWorkspace(workspaceId);
    // Null means as much as the balance holds.
    let rest = isOn ? null : new Decimal(always ?? 0);
    for (const invoiceId of await this.finder.findOpen(workspaceId, customerId, currency)) {
      if (rest?.isZero() || (await isUsedUp())) return;
      // The read model can be behind.
      const invoice = await this.invoices.require(workspaceId, invoiceId);
      if (invoice.status !== 'open') continue;
      const available = await this.balances.availableAmount(workspaceId, key);
      const amount = rest && moneyString(Decimal.min(rest, amountToPay(invoice), available), currency);
      const payment = new PayFromBalance(followUpContext(context, `settle ${invoiceId}`), invoiceId, amount);
      const isPaid = await this.commands.execute(payment).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof AppError && CANNOT_PAY_NOW.includes(error.code))) throw error;
          return false;
        },
      );
      if (rest && amount !== null && isPaid) rest = rest.minus(amount);
    }
  }
}
