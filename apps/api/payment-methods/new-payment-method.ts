import type { CommandBus } from '@nestjs/cqrs';
import type { Customer, PaymentMethodPurpose } from '#libs/contexts/customers';
import { AddTestPaymentMethod, StartCardSetup, type CardPage } from '#libs/contexts/payments';
import { InvalidRequest } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { CreatePaymentMethodBody } from './payment-method.dto.js';

/** A payment method that was added, or the page where the customer enters a card. */
export type PaymentMethodOrCardPage = { customer: Customer; paymentMethodId: string } | { page: CardPage };

/**
 * Adds a test payment method, or creates the page where the customer enters a card. Throws InvalidRequest if the request has fields that
 * belong to another type of payment method.
 */
export async function addPaymentMethod(
  commands: CommandBus,
  context: CommandContext,
  customerId: string,
  { type, test, declines, returnUrl, payOpenInvoices = false }: CreatePaymentMethodBody,
): Promise<PaymentMethodOrCardPage> {
  const purpose: PaymentMethodPurpose = payOpenInvoices ? { pays: 'open' } : {};
  if (type === 'card') {
    if (test !== undefined) throw InvalidRequest.field('test', 'is only for the type test');
    if (declines !== undefined) throw InvalidRequest.field('declines', 'is only for the type test');
    if (returnUrl === undefined)
      throw InvalidRequest.field('returnUrl', 'is required for the type card: where the customer returns');
    return { page: await commands.execute(new StartCardSetup(context, customerId, returnUrl, purpose)) };
  }
  if (returnUrl !== undefined) throw InvalidRequest.field('returnUrl', 'is only for the type card');
  if (test === undefined) throw InvalidRequest.field('test', 'is required for the type test');
  return commands.execute(new AddTestPaymentMethod(context, customerId, test, declines, purpose));
}
