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

  /** All settings of the workspace. Undefined if no setting was ever changed. */
  async findChanged(workspaceId: string): Promise<BillingSettings | undefined> {
    return (await this.aggregates.load(billingSettingsDecider, workspaceId))?.settings;
  }
}
