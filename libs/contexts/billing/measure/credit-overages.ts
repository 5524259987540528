import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import { CreditTypes, walletId, WalletStore, type CreditOverage, type Wallet } from '#libs/contexts/credits';
import type { Invoice } from '#libs/contexts/invoicing';
import type { Bill, BillKind } from '#libs/contexts/subscriptions';
import { deriveUuid, type DecimalString } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { describeLine, type InvoiceItem, type InvoiceLine } from '#libs/rating';

/** The kinds of bills that overage is billed with: those that end a period, also for a pause, or bill usage within it on request. */
const WITH_OVERAGE: readonly BillKind[] = ['cycle', 'interim', 'final', 'pause'];

/** The parts of a bill that its overage needs. */
export type BillWithOverage = Pick<
  Bill,
  'invoiceId' | 'kind' | 'customerId' | 'subscriptionId' | 'currency' | 'periodStart' | 'periodEnd'
>;

/** Bills the usage that a customer's prepaid credits did not cover. Each credit is billed once, on the next invoice of the customer. */
@Injectable()
export class CreditOverages {
  constructor(
    private readonly catalog: Catalog,
    private readonly creditTypes: CreditTypes,
    private readonly wallets: WalletStore,
  ) {}

  /** Takes all overage of the customer in the bills' currency onto their invoice. A repetition returns the same items. */
  async take(context: CommandContext, bills: readonly BillWithOverage[]): Promise<InvoiceItem[]> {
    const { workspaceId } = context;
    const [bill] = bills as [BillWithOverage];
    if (!WITH_OVERAGE.includes(bill.kind)) return [];
    const items: InvoiceItem[] = [];
    for (const wallet of await this.wallets.ofCustomer(workspaceId, bill.customerId)) {
      const key = { workspaceId, customerId: bill.customerId, creditType: wallet.creditType };
      const commandId = deriveUuid('overage', walletId(workspaceId, key), bill.invoiceId);
      const once = { ...context, commandId, mayRepeat: true };
      if (wallet.overage.length === 0 && !(await this.wallets.hasRun(once, key))) continue;
      const terms = await this.termsOf(workspaceId, wallet);
      if (terms.currency !== bill.currency) continue;
      const { unitPrice, currency } = terms;
      const command = { type: 'BillOverage', invoiceId: bill.invoiceId, unitPrice, currency } as const;
      const changed = await this.wallets.change(once, key, command);
      const event = await this.wallets.firstEventOf(key, changed);
      if (event.type !== 'CreditOverageBilled' || event.data.invoiceId !== bill.invoiceId) continue;
      items.push(...(await this.itemsOf(workspaceId, bills, { ...event.data, name: terms.name })));
    }
    return items;
  }

  /** Returns the items of the overage that is not billed yet, for a preview. */
  async owed(workspaceId: string, bills: readonly Bill[]): Promise<InvoiceItem[]> {
    const [bill] = bills as [Bill];
    if (!WITH_OVERAGE.includes(bill.kind)) return [];
    const items: InvoiceItem[] = [];
    for (const wallet of await this.wallets.ofCustomer(workspaceId, bill.customerId)) {
      const { creditType, overage } = wallet;
      if (overage.length === 0) continue;
      const { currency, ...terms } = await this.termsOf(workspaceId, wallet);
      if (currency !== bill.currency) continue;
      items.push(...(await this.itemsOf(workspaceId, bills, { creditType, overage, ...terms })));
    }
    return items;
  }

  /** Returns the overage of an invoice that was voided to the wallets, so that the next invoice bills it. It has one effect. */
  async giveBack(context: CommandContext, { invoiceId, customerId, lines }: Invoice): Promise<void> {
    const { workspaceId } = context;
    const byType = Map.groupBy(lines.filter(isOverage), (line) => line.creditType!);
    for (const [creditType, ofType] of byType) {
      const key = { workspaceId, customerId, creditType };
      const commandId = deriveUuid('return-overage', walletId(workspaceId, key), invoiceId);
      const overage = ofType.map(({ metricId, quantity }) => ({ metricId: metricId!, amount: quantity }));
      await this.wallets.change({ ...context, commandId, mayRepeat: true }, key, {
        type: 'ReturnOverage',
        ...{ invoiceId, overage },
      });
    }
  }

  private async termsOf(workspaceId: string, { creditType }: Wallet) {
    const type = await this.creditTypes.require(workspaceId, creditType);
    const { name, unitPrice, overagePrice, currency } = type;
    return { name, unitPrice: overagePrice ?? unitPrice, currency };
  }

  private async itemsOf(
    workspaceId: string,
    bills: readonly BillWithOverage[],
    billed: {
      name: string;
      creditType: string;
      overage: readonly CreditOverage[];
      unitPrice: DecimalString;
    },
  ): Promise<InvoiceItem[]> {
    const [{ subscriptionId, periodStart: start, periodEnd: end }] = bills as [BillWithOverage];
    const { name, creditType, unitPrice } = billed;
    return Promise.all(
      billed.overage.map(async ({ metricId, amount: quantity }): Promise<InvoiceItem> => {
        const metricName = await this.catalog.metricName(workspaceId, metricId);
        return {
          type: 'overage',
          description: describeLine(`${metricName}, ${name}`, 'overage'),
          ...{ quantity, unitPrice, metricId, creditType, period: { start, end } },
          ...(bills.length > 1 ? { subscriptionId } : {}),
        };
      }),
    );
  }
}

/** Returns the items of the overage on an invoice, from its lines. */
export function overageItems(lines: readonly InvoiceLine[]): InvoiceItem[] {
  return lines.filter(isOverage).map(itemOfLine);
}

/** Returns the item of a line without a price. */
export function itemOfLine(line: InvoiceLine): InvoiceItem {
  const { type, description, quantity, unitPrice = '0', periodStart: start, periodEnd: end } = line;
  const { subscriptionId, metricId, creditType, taxRateIds } = line;
  return {
    ...{ type, description, quantity, unitPrice, period: { start, end } },
    ...(subscriptionId === undefined ? {} : { subscriptionId }),
    ...(metricId === undefined ? {} : { metricId }),
    ...(creditType === undefined ? {} : { creditType }),
    ...(taxRateIds === undefined || type === 'overage' ? {} : { taxRateIds }),
  };
}

function isOverage({ type }: InvoiceLine): boolean {
  return type === 'overage';
}
