import { Injectable } from '@nestjs/common';
import type { Language } from '#libs/kernel/core';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { CustomerQueries } from '#projections/customers';

/** Finds the language in which a customer reads names in the portal. It is the language of the customer's documents. */
@Injectable()
export class PortalLanguageFinder {
  constructor(
    private readonly customers: CustomerQueries,
    private readonly settings: CurrentBillingSettings,
  ) {}

  async find({ workspaceId, customerId }: { workspaceId: string; customerId: string }): Promise<Language> {
    const { state } = await this.customers.get(workspaceId, customerId);
    return state.language ?? (await this.settings.ofWorkspace(workspaceId)).language;
  }
}
