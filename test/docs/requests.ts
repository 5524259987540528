import type { Type } from '@nestjs/common';
import { readRequestJson } from '#libs/kernel/core';
import { CreateCouponBody, readCouponDetails } from '../../apps/api/coupons/coupon.dto.js';
import { createValidationPipe } from '../../apps/api/http/validation.js';
import { readRequestedCredit, IssueCreditNoteBody } from '../../apps/api/invoices/credit-note.dto.js';
import {
  readRequestedPayment,
  RecordPaymentBody,
  ReversePaymentBody,
} from '../../apps/api/invoices/recorded-payment.dto.js';
import { GrantEntitlementBody } from '../../apps/api/entitlements/entitlement.dto.js';
import { CreatePlanBody } from '../../apps/api/plans/plan.dto.js';
import { CreatePriceBody } from '../../apps/api/prices/price.dto.js';
import { CreateTaxRateBody } from '../../apps/api/tax-rates/tax-rate.dto.js';
import { AutoTopUpBody } from '../../apps/api/wallets/auto-top-up.dto.js';
import { GrantCreditsBody, VoidCreditsBody } from '../../apps/api/wallets/block.dto.js';
import { PurchaseCreditsBody } from '../../apps/api/wallets/purchase.dto.js';
import { CreateUsageLimitBody } from '../../apps/api/usage-limits/usage-limit.dto.js';
import type { PriceDetails } from '../../libs/contexts/catalog/prices/events.js';
import { readPriceDetails } from '../../libs/contexts/catalog/prices/price-input.js';
import { checkPrice } from '../../libs/contexts/catalog/prices/price-rules.js';
import { readMinimumCommitment } from '../../libs/contexts/catalog/plans/minimum-commitment.js';

/*
 * Bodies of requests as the pages show them, read as the API reads them: by its own DTOs, and by the rules that the command checks.
 */

async function bodyOf<T extends object>(metatype: Type<T>, json: string): Promise<T> {
  return createValidationPipe().transform(readRequestJson(json), { type: 'body', metatype }) as Promise<T>;
}

/** `POST /v1/prices` */
export async function readPrice(json: string): Promise<PriceDetails> {
  const details = readPriceDetails(await bodyOf(CreatePriceBody, json));
  checkPrice(details);
  return details;
}

/** `POST /v1/coupons` */
export async function readCoupon(json: string) {
  const body = await bodyOf(CreateCouponBody, json);
  return { id: body.id, ...readCouponDetails(body) };
}

/** `POST /v1/tax-rates` */
export async function readTaxRate(json: string) {
  const { name, percentage, inclusive = false } = await bodyOf(CreateTaxRateBody, json);
  return { name, percentage, inclusive };
}

/** `POST /v1/plans` */
export async function readPlan(json: string) {
  const { name, minimumCommitment = null } = await bodyOf(CreatePlanBody, json);
  return { name, minimumCommitment: readMinimumCommitment(minimumCommitment) };
}

/** `POST /v1/invoices/:id/credit-note` */
export async function readCreditNote(json: string) {
  const body = await bodyOf(IssueCreditNoteBody, json);
  const { reason, memo = null, to = null } = body;
  return { reason, memo, credit: readRequestedCredit(body), target: to };
}

/** `POST /v1/invoices/{id}/payments` */
export async function readPayment(json: string, now: string) {
  return readRequestedPayment(await bodyOf(RecordPaymentBody, json), now);
}

/** `DELETE /v1/invoices/{id}/payments/{paymentId}` */
export const readReversal = (json: string): Promise<ReversePaymentBody> => bodyOf(ReversePaymentBody, json);

/** `POST /v1/customers/{id}/wallets/{type}/grants` */
export const readGrant = (json: string): Promise<GrantCreditsBody> => bodyOf(GrantCreditsBody, json);

/** `POST /v1/customers/{id}/wallets/{type}/void` */
export const readVoid = (json: string): Promise<VoidCreditsBody> => bodyOf(VoidCreditsBody, json);

/** `POST /v1/customers/{id}/wallets/{type}/purchases` */
export const readPurchase = (json: string): Promise<PurchaseCreditsBody> => bodyOf(PurchaseCreditsBody, json);

/** `PUT /v1/customers/{id}/wallets/{type}/auto-top-up` */
export const readAutoTopUp = (json: string): Promise<AutoTopUpBody> => bodyOf(AutoTopUpBody, json);
/** `POST /v1/usage-limits` */
export const readUsageLimit = (json: string): Promise<CreateUsageLimitBody> =>
  bodyOf(CreateUsageLimitBody, json);

/** `POST /v1/customers/{id}/entitlement-grants` */
export const readEntitlementGrant = (json: string): Promise<GrantEntitlementBody> =>
  bodyOf(GrantEntitlementBody, json);
