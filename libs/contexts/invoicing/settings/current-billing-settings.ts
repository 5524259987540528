import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { BILLING_DEFAULTS, billingSettingsDecider } from './billing-settings.js';
import type { BillingSettings } from './events.js';

/** Reads the billing settings of workspaces from their streams, for commands. */
@Injectable()
export class CurrentBillingSettings {
  constructor(private readonly aggregates: AggregateStore) {}

  /** All settings of the workspace. Settings that were never changed have their default values. */
  async ofWorkspace(workspaceId: string): Promise<BillingSettings> {
    const known = await this.aggregates.load(billingSettingsDecider, workspaceId);
    return known?.settings ?? BILLING_DEFAULTS;
  }
}
