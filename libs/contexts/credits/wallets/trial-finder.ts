import { Injectable } from '@nestjs/common';
import { addSeconds, type Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { CreditTypes } from '../credit-types/credit-types.js';
import type { UsageDraw } from './events.js';
import type { WalletRowKey } from './wallet-rows.js';

/**
 * Finds trials of customers. A read model implements this class, so a change of a subscription can be missing for some milliseconds.
 */
export abstract class TrialFinder {
  /**
   * Tells whether the customer only tries the product: a subscription in the currency is in a trial that ends after `at`, and no
   * subscription in this currency is charged. A trial that is paused counts too.
   *
   * @param db the connection to use
   */
  abstract isInTrial(
    db: Queryable,
    customer: {
      readonly workspaceId: string;
      readonly customerId: string;
      readonly currency: string;
    },
    at: Instant,
  ): Promise<boolean>;
}

/** The seconds after which usage is recorded at the latest. Usage of the last moment of a trial is recorded when the trial is over. */
const RECORDING_SECONDS = 2;

/** Tells whether usage that no credits cover is of a trial. Usage of a trial is never billed. */
@Injectable()
export class TrialUsage {
  constructor(
    private readonly creditTypes: CreditTypes,
    private readonly trials: TrialFinder,
  ) {}

  /**
   * Tells whether draws of a wallet, which are recorded at the instant `at`, are of a trial. The result is false if credits cover all draws,
   * because then nothing is to be billed.
   */
  async isOfTrial(
    db: Queryable,
    { workspaceId, customerId, creditType }: WalletRowKey,
    draws: readonly UsageDraw[],
    at: Instant,
  ): Promise<boolean> {
    if (draws.every(({ blockId }) => blockId !== null)) return false;
    const { currency } = await this.creditTypes.require(workspaceId, creditType);
    const customer = { workspaceId, customerId, currency };
    return this.trials.isInTrial(db, customer, addSeconds(at, -RECORDING_SECONDS));
  }
}
