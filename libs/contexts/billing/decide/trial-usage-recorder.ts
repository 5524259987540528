import { Injectable } from '@nestjs/common';
import { WalletStore } from '#libs/contexts/credits';
import type { Subscription } from '#libs/contexts/subscriptions';

/** Records usage of trials, which is not billed. */
@Injectable()
export class TrialUsageRecorder {
  constructor(private readonly wallets: WalletStore) {}

  /**
   * Records the usage of a customer's wallets before a change of a subscription that is in a trial. After the change, the usage would no
   * longer count as usage of the trial. Does nothing if the subscription is in no trial.
   */
  async recordBeforeChange(
    workspaceId: string,
    { customerId, phase }: Pick<Subscription, 'customerId' | 'phase'>,
  ): Promise<void> {
    if (phase === 'trialing') await this.wallets.settleAll(workspaceId, customerId);
  }
}
