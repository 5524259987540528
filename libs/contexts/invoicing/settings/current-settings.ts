import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { BILLING_DEFAULTS, billingSettingsDecider, type BillingSettings } from './billing-settings.js';

/** What workspaces have chosen for their invoices, as commands see it: read from the stream. */
@Injectable()
export class CurrentSettings {
  constructor(private readonly aggregates: AggregateStore) {}

  /** All of the workspace's settings; the defaults for what it has not chosen. */
  async of(workspaceId: string): Promise<BillingSettings> {
    const known = await this.aggregates.load(billingSettingsDecider, workspaceId);
    return known?.settings ?? BILLING_DEFAULTS;
  }
}
