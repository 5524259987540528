import { Injectable } from '@nestjs/common';
import { NotFound } from '#libs/kernel/core';
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
   * Attaches the card of a setup to its customer. The webhook of Stripe and the return of the customer both lead here; the card is attached
   * once. Returns false if the customer has not completed the page, or was deleted meanwhile.
   */
  async save(context: CommandContext, setupId: string): Promise<boolean> {
    try {
      const setup = await this.setups.require(setupId);
      if (setup.workspaceId !== context.workspaceId) return false;
      const card = await this.setups.savedCard(setup);
      if (!card) return false;
      await this.customers.attachPaymentMethod(context, setup.customerId, card);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }
}
