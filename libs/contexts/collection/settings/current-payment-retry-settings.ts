import { Injectable } from '@nestjs/common';
import type { RetryRules } from '#libs/contexts/invoicing';
import { AggregateStore } from '#libs/kernel/event-store';
import type { PaymentRetrySettings } from './events.js';
import { initialState, paymentRetrySettingsDecider } from './payment-retry-settings.js';

/** Reads the retry settings of workspaces from their streams, for commands. */
@Injectable()
export class CurrentPaymentRetrySettings {
  constructor(private readonly aggregates: AggregateStore) {}

  /** All settings of the workspace. Settings that were never changed have their default values. */
  async ofWorkspace(workspaceId: string): Promise<PaymentRetrySettings> {
    return (await this.aggregates.load(paymentRetrySettingsDecider, workspaceId)) ?? initialState;
  }

  /** The rules by which a payment that fails now is retried. Null if the workspace does not retry failed payments. */
  async findRetryRules(workspaceId: string): Promise<RetryRules | null> {
    const { enabled, ...rules } = await this.ofWorkspace(workspaceId);
    return enabled ? rules : null;
  }
}
