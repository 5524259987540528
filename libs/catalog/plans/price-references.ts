import { Injectable } from '@nestjs/common';
import { NotFound } from '#libs/core';
import { AggregateStore, aggregateId, follow, type CommandContext } from '#libs/event-store';
import { invalidFields, notFoundIn } from '../details.js';
import { currentPriceVersion, priceDecider, type Price } from '../prices/price.js';

/** The prices that a plan names: whether they are there, and their knowing of it. */
@Injectable()
export class PriceReferences {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The one currency of the prices. NotFound or InvalidRequest, naming the place in `prices`, if one does not fit. */
  async currencyOf(accountId: string, priceIds: readonly string[]): Promise<string> {
    const prices = await Promise.all(priceIds.map((priceId, index) => this.price(accountId, priceId, index)));
    const currencies = prices.map((price) => currentPriceVersion(price).config.currency);
    const odd = currencies.findIndex((currency) => currency !== currencies[0]);
    if (odd !== -1)
      throw invalidFields([
        {
          field: `prices[${odd}]`,
          message: `must be in ${currencies[0]!} as the first price is, not in ${currencies[odd]!}: a plan has one currency`,
        },
      ]);
    return currencies[0]!;
  }

  /** Says on the prices' streams that a plan will offer them. NotFound if one is not there any more. */
  async leave(
    context: CommandContext,
    priceIds: readonly string[],
    { planId, planRevision }: { planId: string; planRevision: number },
  ): Promise<void> {
    await Promise.all(
      priceIds.map(async (priceId, index) => {
        const command = { type: 'ReferencePrice', priceId, planId, planRevision } as const;
        const following = follow(context, `reference ${priceId} ${planId} ${planRevision}`);
        try {
          await this.aggregates.execute(
            priceDecider,
            aggregateId(context.accountId, priceId),
            following,
            command,
          );
        } catch (error) {
          throw error instanceof NotFound ? missing(priceId, index) : error;
        }
      }),
    );
  }

  private async price(accountId: string, priceId: string, index: number): Promise<Price> {
    const state = await this.aggregates.load(priceDecider, aggregateId(accountId, priceId));
    if (!state?.price || state.price.deleted) throw missing(priceId, index);
    return state.price;
  }
}

function missing(priceId: string, index: number): NotFound {
  return notFoundIn(`prices[${index}]`, 'price', priceId);
}
