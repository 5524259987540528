import { Injectable } from '@nestjs/common';
import { deriveUuid, NotFound } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { Customers } from '#libs/contexts/customers';
import { CardSetups, type CardSetup } from './stripe/card-setups.js';

/** Puts cards on file that customers have entered on Stripe's page. */
@Injectable()
export class SavedCards {
  constructor(
    private readonly customers: Customers,
    private readonly setups: CardSetups,
  ) {}

  /** Returns a setup. Throws NotFound if it does not exist, or is forgotten. */
  async find(setupId: string): Promise<CardSetup> {
    return this.setups.require(setupId);
  }

  /**
   * Attaches the card of a setup to its customer. The webhook of Stripe and the return of the customer both lead here. The card is attached
   * once, so a card that was removed does not come back. Returns whether the card is on file: not if the customer has not completed the
   * page, has removed the card, or was deleted meanwhile.
   */
  async save(context: CommandContext, setupId: string): Promise<boolean> {
    try {
      const setup = await this.setups.require(setupId);
      if (setup.workspaceId !== context.workspaceId) return false;
      const card = await this.setups.savedCard(setup);
      if (!card) return false;
      // The id of the command is the same whatever leads here, so the customer's stream takes it once.
      const once = { ...context, commandId: deriveUuid('saved card', setupId), mayRepeat: true };
      const { paymentMethods } = await this.customers.attachPaymentMethod(once, setup.customerId, card);
      return paymentMethods.some(({ paymentMethodId }) => paymentMethodId === card.paymentMethodId);
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }
}
