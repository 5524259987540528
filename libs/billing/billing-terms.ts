import { Injectable } from '@nestjs/common';
import { Coupons, type CustomerCoupon } from '#libs/coupons';
import { Customers } from '#libs/customers';
import { CurrentSettings, type Invoice, type InvoiceDetails, type InvoiceDiscount } from '#libs/invoicing';
import { BY_TIME, type ProrationBasis, type TaxRate } from '#libs/rating';
import { Subscriptions, type Bill } from '#libs/subscriptions';
import { TaxRates } from '#libs/taxes';

/** What a bill is invoiced by, besides its charges. */
export interface Terms {
  /** What shares of a period are counted in. */
  readonly basis: ProrationBasis;
  readonly taxRates: readonly TaxRate[];
  /** Why there is no tax; undefined for a customer that is not exempt. */
  readonly taxExemption?: string;
  /** The coupons that may take something off, in the order in which the customer got them. */
  readonly coupons: readonly TermsCoupon[];
}

/** A coupon with all that an invoice says of it but what it takes off. */
export type TermsCoupon = Omit<InvoiceDiscount, 'amount'>;

/** The terms of bills: what the workspace and the customer have agreed on by now, and what an invoice was made by. */
@Injectable()
export class BillingTerms {
  constructor(
    private readonly settings: CurrentSettings,
    private readonly customers: Customers,
    private readonly taxRates: TaxRates,
    private readonly coupons: Coupons,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** The terms of a bill that is invoiced now. */
  async of(accountId: string, bill: Bill): Promise<Terms> {
    const [taxes, coupons, basis] = await Promise.all([
      this.taxesOf(accountId, bill.customerId),
      this.couponsOf(accountId, bill),
      this.basisOf(accountId, bill),
    ]);
    return { ...taxes, coupons, basis };
  }

  /** The taxes of what a customer is invoiced now. */
  async taxesOf(accountId: string, customerId: string): Promise<Pick<Terms, 'taxRates' | 'taxExemption'>> {
    const [settings, customer] = await Promise.all([
      this.settings.of(accountId),
      this.customers.find(accountId, customerId),
    ]);
    const taxExemption = customer?.taxExemptReason ?? undefined;
    if (taxExemption !== undefined) return { taxRates: [], taxExemption };
    const taxRateIds = customer?.taxRateIds ?? settings.defaultTaxRateIds;
    return { taxRates: await this.taxRates.resolve(accountId, taxRateIds) };
  }

  /** The terms that an invoice was made by: the rates that it names, as they were created, and the coupons that it used. */
  async ofIssued(
    accountId: string,
    { taxes = [], taxExemption, discounts = [], basis = BY_TIME }: InvoiceDetails,
  ): Promise<Terms> {
    const taxRateIds = taxes.map(({ taxRateId }) => taxRateId);
    return {
      taxRates: await this.taxRates.resolve(accountId, taxRateIds),
      ...(taxExemption === undefined ? {} : { taxExemption }),
      coupons: discounts.map(({ amount: _, ...coupon }) => coupon),
      basis,
    };
  }

  /**
   * The terms of a draft that is computed again: those that it was made by, with the coupons that the customer had by then. Of them
   * only the ones that took something off stand on it, and with more usage others may.
   */
  async ofDraft(accountId: string, bill: Bill, draft: Invoice): Promise<Terms> {
    const [terms, coupons] = await Promise.all([
      this.ofIssued(accountId, draft),
      this.couponsOf(accountId, bill, ({ redeemedAt }) => redeemedAt <= draft.createdAt),
    ]);
    return { ...terms, coupons };
  }

  /** Days are of the calendar that cuts the subscription's periods. */
  private async basisOf(accountId: string, { subscriptionId }: Bill): Promise<ProrationBasis> {
    const { prorationBasis } = await this.settings.of(accountId);
    if (prorationBasis === 'time') return BY_TIME;
    const { timezone } = await this.subscriptions.require(accountId, subscriptionId);
    return { unit: 'days', timezone };
  }

  /**
   * One that is used on the bill's invoice stays there, whatever the plan is by now. What is charged before its period is over waits for
   * them: they take their part off the whole of it at its end, once.
   */
  private async couponsOf(
    accountId: string,
    bill: Bill,
    isKnown: (coupon: CustomerCoupon) => boolean = () => true,
  ): Promise<TermsCoupon[]> {
    if (bill.kind === 'progressive') return [];
    const usable = (await this.coupons.usableOn(accountId, bill)).filter(isKnown);
    // Most customers have none, and most coupons are for all plans.
    const planId = usable.some(({ planIds }) => planIds !== null)
      ? (await this.subscriptions.require(accountId, bill.subscriptionId)).planId
      : null;
    return usable
      .filter(
        ({ planIds, invoiceIds }) =>
          planIds === null ||
          invoiceIds.includes(bill.invoiceId) ||
          (planId !== null && planIds.includes(planId)),
      )
      .map(termsOf);
  }
}

function termsOf({ redemptionId, couponId, name, discount, priceIds }: CustomerCoupon): TermsCoupon {
  return { redemptionId, couponId, name, discount, ...(priceIds === null ? {} : { priceIds }) };
}
