import { Injectable } from '@nestjs/common';
import { deriveUuid, NotFound } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { Customers } from '#libs/contexts/customers';
import { CardSetups, type CardSetup } from './stripe/card-setups.js';

/** Attaches cards to customers after the customers have entered them on Stripe's page. */
@Injectable()
export class SavedCardAttacher {
  constructor(
    private readonly customers: Customers,
    private readonly setups: CardSetups,
  ) {}

  /**
   * Returns a card setup, which is a page of Stripe on which a customer enters a card. Throws NotFound if the card setup is unknown, or was
   * deleted because of its age.
   */
  async requireSetup(setupId: string): Promise<CardSetup> {
    return this.setups.require(setupId);
  }

  /**
   * Attaches the card of a card setup to its customer. This method is called both for Stripe's webhook and when the customer returns from
   * Stripe's page. The card is attached only once, so a card that was removed does not come back. Returns true if the card is attached to
   * the customer. Returns false if the customer has not completed the page, has removed the card, or was deleted meanwhile. Returns false
   * also for an unknown card setup, or one of another workspace. Throws StateConflict (`no_payment_gateway`) if the workspace was
   * disconnected from Stripe meanwhile. Throws Unavailable if Stripe gives no usable answer, or if another Stripe account is connected now.
   */
  async attachCardOfSetup(context: CommandContext, setupId: string): Promise<boolean> {
    try {
      const setup = await this.setups.require(setupId);
      if (setup.workspaceId !== context.workspaceId) return false;
      const card = await this.setups.savedCard(setup);
      if (!card) return false;
      // Stripe's webhook and the customer's return lead to the same command id, so the card is attached only once.
      const once = { ...context, commandId: deriveUuid('saved card', setupId), mayRepeat: true };
      const { customerId, purpose } = setup;
      const { paymentMethods } = await this.customers.attachPaymentMethod(once, customerId, card, purpose);
      return paymentMethods.some(({ paymentMethodId }) => paymentMethodId === card.paymentMethodId);
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }
}
