import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/contexts/catalog';
import {
  CreditTypes,
  walletId,
  WalletReader,
  WalletStore,
  type MetricCredits,
  type Wallet,
  type WalletRowKey,
} from '#libs/contexts/credits';
import type { CreditsUsed, Invoice } from '#libs/contexts/invoicing';
import type { Bill, BillKind } from '#libs/contexts/subscriptions';
import {
  deriveUuid,
  type DecimalString,
  joinedTranslations,
  storedTranslations,
  type NameTranslations,
} from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { describeLine, type InvoiceItem, type InvoiceLine } from '#libs/rating';

/** The kinds of bills whose invoices show usage in credits. Bills of these kinds end a period, begin a pause, or bill usage on request. */
const WITH_USAGE: readonly BillKind[] = ['cycle', 'interim', 'final', 'pause'];

/** The fields of a bill that are needed to find its usage in credits. */
export type BillWithUsage = Pick<
  Bill,
  'invoiceId' | 'kind' | 'customerId' | 'subscriptionId' | 'currency' | 'periodStart' | 'periodEnd'
>;

/** The usage in credits that an invoice bills or shows. */
export interface InvoicedCreditUsage {
  /** The overage as items of the invoice: the credits that usage cost and that no prepaid credits covered. */
  readonly items: InvoiceItem[];
  /** The overage as the wallets gave it to the invoice. */
  readonly overage: OverageItem[];
  /** The prepaid credits with which usage was paid. Used prepaid credits change no amount of the invoice. */
  readonly creditsUsed: CreditsUsed[];
}

/** The credits that usage cost and that no block of the wallet covered. */
export interface OverageOfWallet {
  readonly creditType: string;
  /** The uncovered credits of each metric. */
  readonly overage: readonly MetricCredits[];
}

/** Identifies the usage that was moved from a wallet to an invoice. */
export interface MovedUsageKey {
  readonly customerId: string;
  readonly creditType: string;
  readonly invoiceId: string;
}

/**
 * Bills and shows usage in credits on invoices. Overage is billed. Credits that prepaid blocks covered are shown on the invoice without an
 * amount. Each used credit is on only one invoice: the customer's next invoice that bills a period and has the currency of the credit type.
 */
@Injectable()
export class CreditUsageInvoicer {
  constructor(
    private readonly catalog: Catalog,
    private readonly creditTypes: CreditTypes,
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
  ) {}

  /**
   * Moves the customer's usage in credits from its wallets to the invoice of the bills. Only usage of credit types in the currency of the
   * bills is moved. A repeated call returns the same usage. With `needsOverage`, nothing is moved if no wallet has overage, because the invoice
   * is created only for overage.
   */
  async moveToInvoice(
    context: CommandContext,
    bills: readonly BillWithUsage[],
    { needsOverage = false }: { needsOverage?: boolean } = {},
  ): Promise<InvoicedCreditUsage> {
    const { workspaceId } = context;
    const [{ invoiceId, kind, customerId, currency }] = bills as [BillWithUsage];
    const items: InvoiceItem[] = [];
    const overage: OverageItem[] = [];
    const creditsUsed: CreditsUsed[] = [];
    if (!WITH_USAGE.includes(kind)) return { items, overage, creditsUsed };
    const move = async (wallet: Wallet, mustHaveOverage: boolean): Promise<void> => {
      const key = { workspaceId, customerId, creditType: wallet.creditType };
      const once = takingFor(context, key, invoiceId);
      if (!hasUsage(wallet, mustHaveOverage) && !(await this.wallets.hasRunCommand(once, key))) return;
      const { name, nameTranslations, unitPrice, currency: own } = await this.termsOf(workspaceId, wallet);
      if (own !== currency) return;
      const terms = { invoiceId, unitPrice, currency, needsOverage: mustHaveOverage };
      const command = { type: 'InvoiceUsage', ...terms } as const;
      const changed = await this.wallets.change(once, key, command);
      for (const { type, data } of await this.wallets.eventsOfChange(once, key, changed))
        if (type === 'CreditOverageBilled') {
          items.push(...(await this.itemsOf(workspaceId, bills, { ...data, name, nameTranslations })));
          overage.push(...overageItemsOf(data));
        } else if (type === 'CreditsUsedInvoiced')
          creditsUsed.push(...(await this.creditsUsedOf(workspaceId, { ...data, name, nameTranslations })));
    };
    const wallets = await this.walletReader.ofCustomer(workspaceId, customerId);
    const others: Wallet[] = [];
    for (const wallet of wallets) {
      const key = { workspaceId, customerId, creditType: wallet.creditType };
      const isFirst =
        !needsOverage ||
        wallet.overage.length > 0 ||
        (await this.wallets.hasRunCommand(takingFor(context, key, invoiceId), key));
      if (isFirst) await move(wallet, needsOverage);
      else others.push(wallet);
    }
    // An invoice that has overage shows the used credits of all wallets.
    if (items.length > 0) for (const wallet of others) await move(wallet, false);
    return { items, overage, creditsUsed };
  }

  /**
   * Returns, for a preview, the usage in credits that is not on any invoice yet. This method has the same options as {@link moveToInvoice}.
   */
  async findUninvoicedUsage(
    workspaceId: string,
    bills: readonly BillWithUsage[],
    { needsOverage = false }: { needsOverage?: boolean } = {},
  ): Promise<Omit<InvoicedCreditUsage, 'overage'>> {
    const [bill] = bills as [BillWithUsage];
    const items: InvoiceItem[] = [];
    const creditsUsed: CreditsUsed[] = [];
    if (!WITH_USAGE.includes(bill.kind)) return { items, creditsUsed };
    const wallets = await this.walletReader.ofCustomer(workspaceId, bill.customerId);
    const [first, others] = needsOverage ? divideByOverage(wallets) : [wallets, []];
    for (const wallet of [...first, ...others]) {
      if (!hasUsage(wallet, needsOverage && items.length === 0)) continue;
      const terms = await this.termsOf(workspaceId, wallet);
      if (terms.currency !== bill.currency) continue;
      items.push(...(await this.itemsOf(workspaceId, bills, { ...terms, ...wallet })));
      creditsUsed.push(...(await this.creditsUsedOf(workspaceId, { ...terms, ...wallet })));
    }
    return { items, creditsUsed };
  }

  /** Returns the overage of a wallet as invoice items, at the present price and in the currency of the credit type. */
  async overageItemsOfWallet(
    workspaceId: string,
    wallet: OverageOfWallet,
    bill: Pick<BillWithUsage, 'periodStart' | 'periodEnd'>,
  ): Promise<{ items: InvoiceItem[]; currency: string }> {
    const terms = await this.termsOf(workspaceId, wallet);
    const items = await this.itemsOf(workspaceId, [bill], { ...terms, ...wallet });
    return { items, currency: terms.currency };
  }

  /**
   * Returns the overage and the used credits of a voided invoice to the wallets, so that the next invoice gets them. A repetition changes
   * nothing.
   */
  async returnUsageOfVoidedInvoice(
    context: CommandContext,
    { invoiceId, customerId, lines, creditsUsed = [] }: Invoice,
  ): Promise<void> {
    const overage = lines
      .filter(isOverage)
      .map(({ creditType, metricId, quantity, periodStart, periodEnd }) => ({
        creditType: creditType!,
        metricId: metricId!,
        amount: quantity,
        period: { start: periodStart, end: periodEnd },
      }));
    await this.return(context, 'return-overage', { invoiceId, customerId }, { overage, creditsUsed });
  }

  /**
   * Returns to the wallets the usage that {@link moveToInvoice} moved to an invoice, if the stored invoice does not contain it. An invoice
   * lacks this usage if another caller stored the invoice before the wallet had any usage. A repetition changes nothing.
   */
  async returnUsageMissingFromInvoice(
    context: CommandContext,
    { overage, creditsUsed }: { overage: readonly OverageItem[]; creditsUsed: readonly UsedItem[] },
    invoice: Pick<Invoice, 'invoiceId' | 'customerId' | 'lines' | 'creditsUsed'>,
  ): Promise<void> {
    // A wallet gives all its usage to an invoice with one command. So the invoice has all usage of a credit type, or none.
    const there = new Set([
      ...invoice.lines.filter(isOverage).map(({ creditType }) => creditType),
      ...(invoice.creditsUsed ?? []).map(({ creditType }) => creditType),
    ]);
    const isMissing = ({ creditType }: { creditType?: string }): boolean => !there.has(creditType);
    await this.return(context, 'return-rest', invoice, {
      overage: overage.filter(isMissing),
      creditsUsed: creditsUsed.filter(isMissing),
    });
  }

  /**
   * Does the same as {@link returnUsageMissingFromInvoice}, for a process that may have crashed after {@link moveToInvoice}. If the invoice
   * does not exist yet, the wallets get nothing back, and the result is false. Before the invoice exists, it is not known which usage it
   * will contain.
   */
  async returnUsageOfCrashedMove(
    context: CommandContext,
    { customerId, creditType, invoiceId }: MovedUsageKey,
    findInvoice: () => Promise<Invoice | undefined>,
  ): Promise<boolean> {
    const invoice = await findInvoice();
    if (!invoice) return false;
    const key = { workspaceId: context.workspaceId, customerId, creditType };
    const overage: OverageItem[] = [];
    const creditsUsed: UsedItem[] = [];
    const taken = await this.wallets.eventsOfCommand(takingFor(context, key, invoiceId), key);
    for (const { type, data } of taken)
      if (type === 'CreditOverageBilled') overage.push(...overageItemsOf(data));
      else if (type === 'CreditsUsedInvoiced')
        for (const { metricId, amount: credits } of data.used)
          creditsUsed.push({ creditType, metricId, credits });
    await this.returnUsageMissingFromInvoice(context, { overage, creditsUsed }, invoice);
    return true;
  }

  private async return(
    context: CommandContext,
    name: string,
    { invoiceId, customerId }: Pick<Invoice, 'invoiceId' | 'customerId'>,
    { overage: items, creditsUsed }: { overage: readonly OverageItem[]; creditsUsed: readonly UsedItem[] },
  ): Promise<void> {
    const { workspaceId } = context;
    const overage = Map.groupBy(items, ({ creditType }) => creditType);
    const used = Map.groupBy(creditsUsed, ({ creditType }) => creditType);
    for (const creditType of new Set([...overage.keys(), ...used.keys()])) {
      const key = { workspaceId, customerId, creditType };
      const commandId = deriveUuid(name, walletId(workspaceId, key), invoiceId);
      await this.wallets.change({ ...context, commandId, mayRepeat: true }, key, {
        type: 'ReturnUsage',
        invoiceId,
        overage: (overage.get(creditType) ?? []).map(({ metricId, amount, period }) =>
          period === undefined ? { metricId, amount } : { metricId, amount, period },
        ),
        used: (used.get(creditType) ?? []).map(({ metricId, credits: amount }) => ({ metricId, amount })),
      });
    }
  }

  private async termsOf(workspaceId: string, { creditType }: Pick<Wallet, 'creditType'>) {
    const type = await this.creditTypes.require(workspaceId, creditType);
    const { name, nameTranslations = {}, unitPrice, overagePrice, currency } = type;
    return { name, nameTranslations, unitPrice: overagePrice ?? unitPrice, currency };
  }

  private async itemsOf(
    workspaceId: string,
    bills: readonly (Pick<BillWithUsage, 'periodStart' | 'periodEnd'> & Partial<BillWithUsage>)[],
    billed: OverageOfWallet & {
      name: string;
      nameTranslations: NameTranslations;
      unitPrice: DecimalString;
    },
  ): Promise<InvoiceItem[]> {
    const { subscriptionId, periodStart: start, periodEnd: end } = bills[0]!;
    const ofBill = { start, end };
    const { name, nameTranslations, creditType, unitPrice } = billed;
    return Promise.all(
      billed.overage.map(async ({ metricId, amount: quantity, period = ofBill }): Promise<InvoiceItem> => {
        const metric = await this.catalog.metricNames(workspaceId, metricId);
        return {
          type: 'overage',
          description: describeLine(`${metric.name}, ${name}`, 'overage'),
          ...storedTranslations(joinedTranslations(metric, { name, nameTranslations })),
          quantity,
          unitPrice,
          metricId,
          creditType,
          period,
          ...(bills.length > 1 && subscriptionId !== undefined ? { subscriptionId } : {}),
        };
      }),
    );
  }

  private async creditsUsedOf(
    workspaceId: string,
    {
      name,
      nameTranslations,
      creditType,
      used,
    }: {
      name: string;
      nameTranslations: NameTranslations;
      creditType: string;
      used: readonly MetricCredits[];
    },
  ): Promise<CreditsUsed[]> {
    return Promise.all(
      used.map(async ({ metricId, amount: credits }) => {
        const metric = await this.catalog.metricNames(workspaceId, metricId);
        return {
          creditType,
          creditTypeName: name,
          metricId,
          metricName: metric.name,
          credits,
          ...(Object.keys(metric.nameTranslations).length === 0
            ? {}
            : { metricNameTranslations: metric.nameTranslations }),
          ...(Object.keys(nameTranslations).length === 0
            ? {}
            : { creditTypeNameTranslations: nameTranslations }),
        };
      }),
    );
  }
}

/**
 * The context of the command that moves a wallet's usage to an invoice. Each call gives the same command id, so the usage is moved only
 * once.
 */
function takingFor(context: CommandContext, key: WalletRowKey, invoiceId: string): CommandContext {
  return {
    ...context,
    commandId: deriveUuid('overage', walletId(key.workspaceId, key), invoiceId),
    mayRepeat: true,
  };
}

/** Divides wallets into those with overage and those without. */
function divideByOverage(wallets: readonly Wallet[]): [Wallet[], Wallet[]] {
  const hasOverage = ({ overage }: Wallet): boolean => overage.length > 0;
  return [wallets.filter(hasOverage), wallets.filter((wallet) => !hasOverage(wallet))];
}

function hasUsage({ overage, used }: Wallet, needsOverage = false): boolean {
  return overage.length > 0 || (!needsOverage && used.length > 0);
}

/** Returns the overage on an invoice as items, from its lines. */
export function overageItemsOfLines(lines: readonly InvoiceLine[]): InvoiceItem[] {
  return lines.filter(isOverage).map(itemOfLine);
}

/** Converts a line without a catalog price back to its item. */
export function itemOfLine(line: InvoiceLine): InvoiceItem {
  const {
    type,
    description,
    nameTranslations,
    quantity,
    unitPrice = '0',
    periodStart: start,
    periodEnd: end,
  } = line;
  const { subscriptionId, metricId, creditType, taxRateIds } = line;
  return {
    type,
    description,
    quantity,
    unitPrice,
    period: { start, end },
    ...storedTranslations(nameTranslations),
    ...(subscriptionId === undefined ? {} : { subscriptionId }),
    ...(metricId === undefined ? {} : { metricId }),
    ...(creditType === undefined ? {} : { creditType }),
    ...(taxRateIds === undefined || type === 'overage' ? {} : { taxRateIds }),
  };
}

/** Overage of a wallet that an invoice bills, or that goes back to the wallet. */
interface OverageItem extends MetricCredits {
  readonly creditType: string;
}

function overageItemsOf({ creditType, overage }: OverageOfWallet): OverageItem[] {
  return overage.map((one) => ({ creditType, ...one }));
}

/** The fields that are needed to return used credits to their wallet. */
type UsedItem = Pick<CreditsUsed, 'creditType' | 'metricId' | 'credits'>;

function isOverage({ type }: InvoiceLine): boolean {
  return type === 'overage';
}
