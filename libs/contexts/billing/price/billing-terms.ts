import { Injectable } from '@nestjs/common';
import { Coupons, type CustomerCoupon } from '#libs/contexts/coupons';
import { Customers } from '#libs/contexts/customers';
import {
  CurrentSettings,
  partsOf,
  type Invoice,
  type InvoiceDetails,
  prorationBasisOf,
} from '#libs/contexts/invoicing';
import { BY_TIME, type InvoiceItem, type ProrationBasis, type TaxRate } from '#libs/rating';
import { Subscriptions, type Bill } from '#libs/contexts/subscriptions';
import { TaxRates } from '#libs/contexts/taxes';
import type { CarriedDiscount } from '../earlier-invoices/carried-discounts.js';
import { couponsWith, couponTerms, type TermsCoupon } from './coupon-terms.js';
import { DecidedBills } from '../decide/decided-bills.js';

/** What the bills of an invoice are invoiced by, besides their charges. */
export interface Terms {
  /** What shares of a period are counted in, for each bill. */
  readonly bases: readonly ProrationBasis[];
  /** Of all lines whose price or item names none. */
  readonly taxRates: readonly TaxRate[];
  /** All rates that prices and items name; absent where those do not count, as for an exempt customer. */
  readonly namedTaxRates?: readonly TaxRate[];
  /** Why there is no tax; undefined for a customer that is not exempt. */
  readonly taxExemption?: string;
  /** The coupons that may take something off, in the order in which the customer got them. */
  readonly coupons: readonly TermsCoupon[];
}

/** The terms of bills: what the workspace and the customer have agreed on by now, and what an invoice was made by. */
@Injectable()
export class BillingTerms {
  constructor(
    private readonly settings: CurrentSettings,
    private readonly customers: Customers,
    private readonly taxRates: TaxRates,
    private readonly coupons: Coupons,
    private readonly subscriptions: Subscriptions,
    private readonly bills: DecidedBills,
  ) {}

  /** The terms of bills of one customer that are on one invoice now. `planIds`: as for {@link couponTerms}, of what is only previewed. */
  async of(
    workspaceId: string,
    bills: readonly Bill[],
    planIds: ReadonlyMap<string, string> = new Map(),
  ): Promise<Terms> {
    const [taxes, coupons, bases] = await Promise.all([
      this.taxesOf(workspaceId, bills[0]!.customerId),
      this.couponsOf(workspaceId, bills, { planIds }),
      Promise.all(bills.map((bill) => this.basisOf(workspaceId, bill))),
    ]);
    return { ...taxes, coupons, bases };
  }

  /** The taxes of what a customer is invoiced now. */
  async taxesOf(workspaceId: string, customerId: string): Promise<Pick<Terms, 'taxRates' | 'taxExemption'>> {
    const [settings, customer] = await Promise.all([
      this.settings.of(workspaceId),
      this.customers.find(workspaceId, customerId),
    ]);
    const taxExemption = customer?.taxExemptReason ?? undefined;
    if (taxExemption !== undefined) return { taxRates: [], taxExemption };
    const taxRateIds = customer?.taxRateIds ?? settings.defaultTaxRateIds;
    return { taxRates: await this.taxRates.resolve(workspaceId, taxRateIds) };
  }

  /** The terms with the rates that prices or items name; the same for an exempt customer, for whom they do not count. */
  async withNamed<T extends Pick<Terms, 'taxExemption'>>(
    workspaceId: string,
    terms: T,
    naming: readonly { readonly taxRateIds?: readonly string[] }[],
  ): Promise<T & Pick<Terms, 'namedTaxRates'>> {
    if (terms.taxExemption !== undefined) return terms;
    const taxRateIds = [...new Set(naming.flatMap((one) => one.taxRateIds ?? []))];
    return { ...terms, namedTaxRates: await this.taxRates.resolve(workspaceId, taxRateIds) };
  }

  /** Refuses rates of items by hand that nobody can be given: InvalidRequest that names the line. */
  async requireUsable(workspaceId: string, items: readonly InvoiceItem[]): Promise<void> {
    for (const [i, { taxRateIds = [] }] of items.entries())
      await this.taxRates.requireUsable(workspaceId, taxRateIds, `lines[${i}].taxRateIds`);
  }

  /** The terms that an invoice was made by: the rates that it names, as they were created, and the coupons that it used. */
  async ofIssued(workspaceId: string, issued: InvoiceDetails): Promise<Terms> {
    const { taxes = [], taxExemption, discounts = [] } = issued;
    const { taxRateIds = taxes.map(({ taxRateId }) => taxRateId) } = issued;
    return {
      taxRates: await this.taxRates.resolve(workspaceId, taxRateIds),
      ...(taxExemption === undefined ? {} : { taxExemption }),
      coupons: discounts.map(({ amount: _, ...coupon }) => coupon),
      bases: partsOf(issued).map(({ basis = BY_TIME }) => basis),
    };
  }

  /**
   * The terms of a draft that is computed again: those that it was made by, with the coupons that the customer had by then. Of them
   * only the ones that took something off stand on it, and with more usage others may.
   */
  async ofDraft(workspaceId: string, bills: readonly Bill[], draft: Invoice): Promise<Terms> {
    const [terms, coupons] = await Promise.all([
      this.ofIssued(workspaceId, draft),
      this.couponsOf(workspaceId, bills, { isKnown: ({ redeemedAt }) => redeemedAt <= draft.createdAt }),
    ]);
    return { ...terms, coupons };
  }

  /** The terms, with the unused parts of coupons that the customer still has and that apply to the plan of the subscription by then. */
  async withCarried(
    workspaceId: string,
    bills: readonly Bill[],
    terms: Terms,
    carried: readonly CarriedDiscount[],
    planIds: ReadonlyMap<string, string> = new Map(),
  ): Promise<Terms> {
    if (carried.length === 0) return terms;
    const [bill] = bills as [Bill];
    const { subscriptionId } = bill;
    const had = await this.coupons.ofCustomer(workspaceId, bill.customerId);
    const planId =
      planIds.get(subscriptionId) ?? (await this.subscriptions.require(workspaceId, subscriptionId)).planId;
    const counts = carried.flatMap((one) => {
      const coupon = had.find(({ redemptionId }) => redemptionId === one.redemptionId);
      if (!coupon || coupon.planIds?.includes(planId) === false) return [];
      const priceIds = one.priceIds?.filter((priceId) => coupon.priceIds?.includes(priceId) ?? true) ?? [];
      return priceIds.length > 0 ? [{ ...one, priceIds }] : [];
    });
    return { ...terms, coupons: couponsWith(terms.coupons, counts) };
  }

  private async basisOf(workspaceId: string, { subscriptionId }: Bill): Promise<ProrationBasis> {
    const settings = await this.settings.of(workspaceId);
    if (settings.prorationBasis === 'time') return BY_TIME;
    return prorationBasisOf(settings, await this.subscriptions.require(workspaceId, subscriptionId));
  }

  private async couponsOf(
    workspaceId: string,
    bills: readonly Bill[],
    {
      isKnown = () => true,
      planIds: given = new Map(),
    }: { isKnown?: (coupon: CustomerCoupon) => boolean; planIds?: ReadonlyMap<string, string> },
  ): Promise<TermsCoupon[]> {
    const usable = (await this.coupons.usableOn(workspaceId, bills)).filter(isKnown);
    const planIds = new Map(given);
    if (usable.some((coupon) => coupon.planIds !== null))
      for (const { subscriptionId, consolidated } of bills)
        if (!consolidated && !planIds.has(subscriptionId))
          planIds.set(subscriptionId, (await this.subscriptions.require(workspaceId, subscriptionId)).planId);
    const isFixed = usable.some(({ discount }) => discount.type === 'fixed');
    const before = new Map<Bill, readonly Bill[]>();
    if (isFixed) for (const bill of bills) before.set(bill, await this.bills.before(workspaceId, bill));
    return couponTerms(bills, usable, planIds, (bill) => before.get(bill) ?? []);
  }
}
