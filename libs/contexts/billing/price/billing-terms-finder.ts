import { Injectable } from '@nestjs/common';
import type { Instant } from '#libs/kernel/core';
import { Coupons, type CustomerCoupon, type UsableCustomerCoupon } from '#libs/contexts/coupons';
import { Customers } from '#libs/contexts/customers';
import {
  CurrentBillingSettings,
  subscriptionPartsOf,
  type Invoice,
  type InvoiceDetails,
  prorationBasisOf,
} from '#libs/contexts/invoicing';
import {
  PRORATION_BY_TIME,
  type CouponInvoice,
  type InvoiceItem,
  type ProrationBasis,
  type TaxRate,
} from '#libs/rating';
import { Subscriptions, type Bill, type Subscription } from '#libs/contexts/subscriptions';
import { TaxRates } from '#libs/contexts/taxes';
import type { CarriedDiscount } from '../earlier-invoices/carried-discounts.js';
import {
  withCarriedCoupons,
  applicableCoupons,
  couponInvoiceOf,
  type ApplicableCoupon,
} from './applicable-coupons.js';
import { DecidedBills } from '../decide/decided-bills.js';

/** The taxes, coupons and proration bases with which an invoice is computed. */
export interface InvoicePricingTerms {
  /** The proration basis of each bill: the unit in which a part of a period is measured. */
  readonly prorationBases: readonly ProrationBasis[];
  /** The tax rates of all lines without tax rates of their own in the price or item. */
  readonly taxRates: readonly TaxRate[];
  /** All tax rates that prices and items name. The named tax rates are absent if they do not apply, for example for an exempt customer. */
  readonly namedTaxRates?: readonly TaxRate[];
  /** The reason for the tax exemption. The reason is undefined if the customer is not exempt. */
  readonly taxExemption?: string;
  /** The coupons that can discount lines, in the order in which the customer received them. */
  readonly coupons: readonly ApplicableCoupon[];
}

/** Finds billing terms: the present terms of a customer, or the terms with which an invoice was computed. */
@Injectable()
export class BillingTermsFinder {
  constructor(
    private readonly settings: CurrentBillingSettings,
    private readonly customers: Customers,
    private readonly taxRates: TaxRates,
    private readonly coupons: Coupons,
    private readonly subscriptions: Subscriptions,
    private readonly bills: DecidedBills,
  ) {}

  /**
   * The present terms of bills that share one invoice. `planned` has subscriptions by id as they will be after the bills, and is
   * given only for a preview. If `asOf` is given, the coupons and their uses are those of that instant.
   */
  async currentTerms(
    workspaceId: string,
    bills: readonly Bill[],
    planned: ReadonlyMap<string, Subscription> = new Map(),
    asOf?: Instant,
  ): Promise<InvoicePricingTerms> {
    const [taxes, coupons, bases] = await Promise.all([
      this.findCustomerTaxRates(workspaceId, bills[0]!.customerId),
      this.couponsOf(workspaceId, bills, { planned, asOf }),
      Promise.all(bills.map((bill) => this.basisOf(workspaceId, bill))),
    ]);
    return { ...taxes, coupons, prorationBases: bases };
  }

  /** Returns the present tax rates or the tax exemption of a customer. A seller that charges no tax exempts all its customers. */
  async findCustomerTaxRates(
    workspaceId: string,
    customerId: string,
  ): Promise<Pick<InvoicePricingTerms, 'taxRates' | 'taxExemption'>> {
    const [settings, customer] = await Promise.all([
      this.settings.ofWorkspace(workspaceId),
      this.customers.find(workspaceId, customerId),
    ]);
    const taxExemption = customer?.taxExemptReason ?? settings.seller?.taxExemptReason ?? undefined;
    if (taxExemption !== undefined) return { taxRates: [], taxExemption };
    const taxRateIds = customer?.taxRateIds ?? settings.defaultTaxRateIds;
    return { taxRates: await this.taxRates.resolve(workspaceId, taxRateIds) };
  }

  /** Adds to the terms the tax rates that prices or items name. The terms of an exempt customer do not change. */
  async addNamedTaxRates<T extends Pick<InvoicePricingTerms, 'taxExemption'>>(
    workspaceId: string,
    terms: T,
    naming: readonly { readonly taxRateIds?: readonly string[] }[],
  ): Promise<T & Pick<InvoicePricingTerms, 'namedTaxRates'>> {
    if (terms.taxExemption !== undefined) return terms;
    const taxRateIds = [...new Set(naming.flatMap((one) => one.taxRateIds ?? []))];
    return { ...terms, namedTaxRates: await this.taxRates.resolve(workspaceId, taxRateIds) };
  }

  /** Refuses items of a manual invoice with unusable tax rates. The thrown InvalidRequest names the line with the unusable tax rate. */
  async requireUsableTaxRates(workspaceId: string, items: readonly InvoiceItem[]): Promise<void> {
    for (const [i, { taxRateIds = [] }] of items.entries())
      await this.taxRates.requireAssignable(workspaceId, taxRateIds, `lines[${i}].taxRateIds`);
  }

  /**
   * Returns the terms with which an invoice was computed. These terms contain the tax rates that the invoice names, and the coupons that it
   * used.
   */
  async termsOfInvoice(workspaceId: string, issued: InvoiceDetails): Promise<InvoicePricingTerms> {
    const { taxes = [], taxExemption, discounts = [] } = issued;
    const { taxRateIds = taxes.map(({ taxRateId }) => taxRateId) } = issued;
    return {
      taxRates: await this.taxRates.resolve(workspaceId, taxRateIds),
      ...(taxExemption === undefined ? {} : { taxExemption }),
      coupons: discounts.map(({ amount: _, ...coupon }) => coupon),
      prorationBases: subscriptionPartsOf(issued).map(({ basis = PRORATION_BY_TIME }) => basis),
    };
  }

  /**
   * Returns the terms to recompute a draft. The result has the draft's own terms, with all usable coupons that the customer already had
   * when the draft was created. A coupon that was removed since, or has no use left, is usable only if the draft used it. A draft names
   * only coupons that discounted something. With more usage, other coupons could also discount the draft.
   */
  async termsOfDraft(
    workspaceId: string,
    bills: readonly Bill[],
    draft: Invoice,
  ): Promise<InvoicePricingTerms> {
    const [terms, coupons] = await Promise.all([
      this.termsOfInvoice(workspaceId, draft),
      this.couponsOf(workspaceId, bills, { isKnown: ({ redeemedAt }) => redeemedAt <= draft.createdAt }),
    ]);
    return { ...terms, coupons };
  }

  /**
   * Adds to the terms the unused coupon discounts of fees that the bills give back: see {@link CarriedDiscount}. `carried` has the
   * discounts of each bill. A discount is added only if the customer still has the coupon, and if the coupon applies to the plan with which
   * its bill is computed. A discount of one of several bills reduces only the lines of that bill's subscription.
   */
  async addCarriedDiscounts(
    workspaceId: string,
    bills: readonly Bill[],
    terms: InvoicePricingTerms,
    carried: readonly (readonly CarriedDiscount[])[],
    planned: ReadonlyMap<string, Subscription> = new Map(),
  ): Promise<InvoicePricingTerms> {
    if (carried.every(({ length }) => length === 0)) return terms;
    const had = await this.coupons.ofCustomer(workspaceId, bills[0]!.customerId);
    const counts: CarriedDiscount[] = [];
    for (const [i, { subscriptionId, consolidated }] of bills.entries()) {
      if (carried[i]!.length === 0) continue;
      const planId =
        consolidated?.planId ?? (await this.subscriptionAfter(workspaceId, subscriptionId, planned)).planId;
      const limits = bills.length > 1 ? { subscriptionIds: [subscriptionId] } : {};
      for (const one of carried[i]!) {
        const coupon = had.find(({ redemptionId }) => redemptionId === one.redemptionId);
        if (!coupon || coupon.planIds?.includes(planId) === false) continue;
        const priceIds = one.priceIds?.filter((priceId) => coupon.priceIds?.includes(priceId) ?? true) ?? [];
        if (priceIds.length > 0) counts.push({ ...one, priceIds, ...limits });
      }
    }
    return { ...terms, coupons: withCarriedCoupons(terms.coupons, counts) };
  }

  /**
   * Returns the invoice of the bills, with the billing periods in which it falls, for the uses of coupons. `planned` is as for
   * {@link currentTerms}: a change to another billing interval begins new periods.
   */
  async couponInvoice(
    workspaceId: string,
    bills: readonly Bill[],
    planned: ReadonlyMap<string, Subscription> = new Map(),
  ): Promise<CouponInvoice> {
    const subscriptions = bills.map(({ subscriptionId }) =>
      this.subscriptionAfter(workspaceId, subscriptionId, planned),
    );
    return couponInvoiceOf(bills, await Promise.all(subscriptions));
  }

  /** Returns the subscription as it will be after a previewed bill, otherwise as it is. */
  private async subscriptionAfter(
    workspaceId: string,
    subscriptionId: string,
    planned: ReadonlyMap<string, Subscription>,
  ): Promise<Subscription> {
    return planned.get(subscriptionId) ?? this.subscriptions.require(workspaceId, subscriptionId);
  }

  private async basisOf(workspaceId: string, { subscriptionId }: Bill): Promise<ProrationBasis> {
    const settings = await this.settings.ofWorkspace(workspaceId);
    if (settings.prorationBasis === 'time') return PRORATION_BY_TIME;
    return prorationBasisOf(settings, await this.subscriptions.require(workspaceId, subscriptionId));
  }

  private async couponsOf(
    workspaceId: string,
    bills: readonly Bill[],
    {
      isKnown = () => true,
      planned = new Map(),
      asOf,
    }: {
      isKnown?: (coupon: CustomerCoupon) => boolean;
      planned?: ReadonlyMap<string, Subscription>;
      asOf?: Instant | undefined;
    },
  ): Promise<ApplicableCoupon[]> {
    const { customerId } = bills[0]!;
    if (!(await this.coupons.hasHadCoupons(workspaceId, customerId))) return [];
    const invoice = await this.couponInvoice(workspaceId, bills, planned);
    const found = await this.coupons.findUsableOnInvoice(workspaceId, customerId, invoice, asOf);
    const usable: UsableCustomerCoupon[] = found.filter(isKnown);
    const planIds = new Map<string, string>();
    if (usable.some((coupon) => coupon.planIds !== null))
      for (const { subscriptionId, consolidated } of bills)
        if (!consolidated)
          planIds.set(
            subscriptionId,
            (await this.subscriptionAfter(workspaceId, subscriptionId, planned)).planId,
          );
    const isFixed = usable.some(({ discount }) => discount.type === 'fixed');
    const before = new Map<Bill, readonly Bill[]>();
    if (isFixed)
      for (const bill of bills) before.set(bill, await this.bills.billsBefore(workspaceId, bill, asOf));
    return applicableCoupons(bills, usable, planIds, (bill) => before.get(bill) ?? []);
  }
}
