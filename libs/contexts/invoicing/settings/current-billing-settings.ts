import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { billingSettingsDecider, initialState } from './billing-settings.js';
import type { BillingSettings } from './events.js';

/** Reads the billing settings of workspaces from their streams, for commands. */
@Injectable()
export class CurrentBillingSettings {
  constructor(private readonly aggregates: AggregateStore) {}

  /** All settings of the workspace. Settings that were never changed have their default values. */
  async ofWorkspace(workspaceId: string): Promise<BillingSettings> {
    const { settings } = (await this.aggregates.load(billingSettingsDecider, workspaceId)) ?? initialState;
    return settings;
  }
}
