import { presentInvoicePreview, type InvoicePreview } from '#libs/contexts/billing';
import { currentPriceVersion, presentPlanVersion, type Plan, type Price } from '#libs/contexts/catalog';
import type { CreditPurchaseResult } from '#libs/contexts/credit-purchases';
import { presentPurchase } from '#libs/contexts/credit-purchases';
import { presentWalletEntry, presentWallet, type CreditType, type Wallet } from '#libs/contexts/credits';
import { presentCustomer, presentPaymentMethods, type Customer } from '#libs/contexts/customers';
import { presentInvoice, type Invoice } from '#libs/contexts/invoicing';
import {
  hasUnits,
  presentSubscription,
  scheduledPlanChanges,
  type PlanAmendment,
  type Subscription,
} from '#libs/contexts/subscriptions';
import { jsonNumber, type Instant, translatedName, type Language } from '#libs/kernel/core';
import { presentPriceConfig, translatedDescription } from '#libs/rating';
import { publishedPlanVersion } from './plan-offers.js';
import type { PortalCustomerView } from './portal-customer.dto.js';
import type { PortalInvoiceView, PortalUpcomingView } from './portal-invoice.dto.js';
import type { PortalPaymentMethodView } from './portal-payment-method.dto.js';
import type {
  OfferedPriceView,
  PortalPlanView,
  PortalScheduledPlanChangeView,
  PortalSubscriptionView,
} from './portal-plan.dto.js';
import type { PortalCreditEntryView, PortalPurchaseView, PortalWalletView } from './portal-wallet.dto.js';

/*
 * Each function lists the fields that customers may see in the portal. A field that is added for the workspace therefore does not appear in
 * the portal automatically.
 */

/** Presents a customer, without the fields that only the seller may see. */
export function presentPortalCustomer(customer: Customer): PortalCustomerView {
  const { id, name, email, billingEmail, additionalEmails, currency, timezone, language, address, taxId } =
    presentCustomer(customer);
  return { id, name, email, billingEmail, additionalEmails, currency, timezone, language, address, taxId };
}

export function presentPortalSubscription(
  subscription: Subscription,
  language: Language,
): PortalSubscriptionView {
  const { id, planId, status, currency, billingInterval, ...more } = presentSubscription(subscription);
  const planName = translatedName(subscription.planName, subscription.planNameTranslations, language);
  const { currentPeriodStart, currentPeriodEnd, trialEnd, cancelAt } = more;
  return {
    id,
    planId,
    planName,
    status,
    currency,
    billingInterval,
    currentPeriodStart,
    currentPeriodEnd,
    trialEnd,
    cancelAt,
    scheduledPlanChanges: scheduledPlanChanges(subscription).map((one) =>
      presentPortalPlanChange(one, language),
    ),
    prices: subscription.items.map(({ price: { priceId, name, nameTranslations, metricId }, quantity }) => ({
      priceId,
      name: translatedName(name, nameTranslations, language),
      quantity: metricId === null ? jsonNumber(quantity) : null,
    })),
  };
}

/** Presents a change to another plan, or to another version of the plan. */
export function presentPortalPlanChange(
  { amendmentId, change: { plan }, effectiveAt, atPeriodEnd }: PlanAmendment,
  language: Language,
): PortalScheduledPlanChangeView {
  return {
    id: amendmentId,
    planId: plan.planId,
    planName: translatedName(plan.planName, plan.planNameTranslations, language),
    effectiveAt,
    atPeriodEnd,
  };
}

export function presentPortalPaymentMethods(customer: Customer): PortalPaymentMethodView[] {
  return presentPaymentMethods(customer).map(({ id, type, label, default: isDefault }) => ({
    id,
    type,
    label,
    default: isDefault,
  }));
}

/** Presents the published version of a plan. `prices` and `metricNames` have the prices and metric names that the plan refers to, by id. The names are in the language. */
export function presentOfferedPlan(
  plan: Plan,
  prices: ReadonlyMap<string, Price>,
  metricNames: ReadonlyMap<string, string>,
  language: Language,
): PortalPlanView {
  const version = publishedPlanVersion(plan);
  const { name, description, currency, features, minimumCommitment } = presentPlanVersion(plan, version);
  return {
    id: plan.planId,
    name: translatedName(name, version.nameTranslations, language),
    description,
    currency,
    prices: version.prices.flatMap((priceId) => {
      const price = prices.get(priceId);
      return price ? [presentOfferedPrice(price, metricNames, language)] : [];
    }),
    features: features.map(({ featureId, name: featureName, type, limit }) => ({
      featureId,
      name: featureName,
      type,
      limit,
    })),
    minimumCommitment,
  };
}

function presentOfferedPrice(
  price: Price,
  metricNames: ReadonlyMap<string, string>,
  language: Language,
): OfferedPriceView {
  const { name, nameTranslations, config, cadence, timing, metricId, licenseTypeId } =
    currentPriceVersion(price);
  return {
    priceId: price.priceId,
    name: translatedName(name, nameTranslations, language),
    config: presentPriceConfig(config),
    cadence,
    timing,
    hasUnits: hasUnits({ metricId, config }) && licenseTypeId === null,
    metricName: metricId === null ? null : (metricNames.get(metricId) ?? null),
  };
}

/** Returns the preview with its names in a language. */
function withNamesIn(preview: InvoicePreview, language: Language): InvoicePreview {
  return {
    ...preview,
    lines: preview.lines.map((line) => ({ ...line, description: translatedDescription(line, language) })),
    discounts: preview.discounts.map((discount) => ({
      ...discount,
      name: translatedName(discount.name, discount.nameTranslations, language),
    })),
    creditsUsed: preview.creditsUsed.map((used) => ({
      ...used,
      creditTypeName: translatedName(used.creditTypeName, used.creditTypeNameTranslations, language),
      metricName: translatedName(used.metricName, used.metricNameTranslations, language),
    })),
  };
}

/** Presents the preview of an invoice that does not exist yet. */
export function presentPortalUpcoming(preview: InvoicePreview, language: Language): PortalUpcomingView {
  const { subscriptionId, currency, lines, creditsUsed, subtotal, discounts, taxes, ...more } =
    presentInvoicePreview(withNamesIn(preview, language));
  const { total, balanceCredited, balanceApplied, amountDue, periodStart, periodEnd, billedAt } = more;
  return {
    subscriptionId,
    currency,
    lines: lines.map(({ description, quantity, unitPrice, amount, discount, ...line }) => ({
      description,
      quantity,
      amount,
      ...(unitPrice === undefined ? {} : { unitPrice }),
      ...(discount === undefined ? {} : { discount }),
      periodStart: line.periodStart,
      periodEnd: line.periodEnd,
    })),
    creditsUsed: creditsUsed.map(({ creditTypeName, metricName, credits }) => ({
      creditTypeName,
      metricName,
      credits,
    })),
    subtotal,
    discounts: discounts.map(({ name, amount }) => ({ name, amount })),
    taxes: taxes.map(({ name, percentage, inclusive, amount }) => ({ name, percentage, inclusive, amount })),
    total,
    balanceCredited,
    balanceApplied,
    amountDue,
    periodStart,
    periodEnd,
    billedAt,
  };
}

/** Presents an issued invoice, with the URL of its page. */
export function presentPortalInvoice(invoice: Invoice, pageUrl: string): PortalInvoiceView {
  const { id, number, status, kind, currency, total, balanceApplied, amountPaid, amountDue, ...more } =
    presentInvoice(invoice);
  const { periodStart, periodEnd, issuedAt, dueDate, paidAt } = more;
  return {
    id,
    number,
    status,
    kind,
    currency,
    total,
    balanceApplied,
    amountPaid,
    amountDue,
    periodStart,
    periodEnd,
    issuedAt,
    dueDate,
    paidAt,
    ...linksOf(pageUrl),
  };
}

/** Presents a wallet at an instant of the workspace's clock, with the present price of its credits. */
export function presentPortalWallet(
  wallet: Wallet,
  { name, nameTranslations, unitPrice, currency }: CreditType,
  { now, language }: { now: Instant; language: Language },
): PortalWalletView {
  const { creditType, balance, blocks } = presentWallet(wallet, now);
  return {
    creditType,
    name: translatedName(name, nameTranslations, language),
    balance,
    unitPrice: jsonNumber(unitPrice),
    currency,
    blocks: blocks.map(({ id, source, status, amount, remaining, blocked, effectiveAt, expiresAt }) => ({
      id,
      source,
      status,
      amount,
      remaining,
      blocked,
      effectiveAt,
      expiresAt,
    })),
  };
}

export function presentCreditEntry(entry: Parameters<typeof presentWalletEntry>[0]): PortalCreditEntryView {
  const { id, creditType, type, amount, balance, overage, createdAt } = presentWalletEntry(entry);
  return { id, creditType, type, amount, balance, overage, createdAt };
}

/** Presents a purchase of credits, with the URL of the page of its invoice. */
export function presentPortalPurchase(
  wallet: { customerId: string; creditType: string },
  result: CreditPurchaseResult,
  pageUrl: string,
): PortalPurchaseView {
  const { id, creditType, status, credits, unitPrice, currency, total, invoice, payment, createdAt } =
    presentPurchase(wallet, result);
  return {
    id,
    creditType,
    status,
    credits,
    unitPrice,
    currency,
    total,
    invoice: { ...invoice, ...linksOf(pageUrl) },
    payment: payment && { status: payment.status, message: payment.message },
    createdAt,
  };
}

function linksOf(pageUrl: string) {
  return { pageUrl, pdfUrl: `${pageUrl}/pdf` };
}
