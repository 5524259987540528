import { Injectable } from '@nestjs/common';
import { InvalidRequest, NotFound } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { TaxRate } from '#libs/rating';
import { taxRateDecider, type TaxRateRecord } from './tax-rate.js';

/**
 * The maximum number of tax rates in one list: of a customer, a price, a line of a manual invoice, or the billing settings. An invoice
 * whose lines name different tax rates can have more taxes.
 */
export const MAX_TAXES_PER_INVOICE = 10;

/** Reads tax rates for the commands of other contexts, from their streams and never from a read model. */
@Injectable()
export class TaxRates {
  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * Returns the tax rates for the calculation of an invoice, in the given order, including archived rates. Tax rates are never deleted, so
   * each id must exist.
   */
  async resolve(workspaceId: string, taxRateIds: readonly string[]): Promise<TaxRate[]> {
    return Promise.all(
      taxRateIds.map(async (taxRateId) => {
        const rate = await this.find(workspaceId, taxRateId);
        if (!rate) throw new Error(`There is no tax rate ${taxRateId} in ${workspaceId}`);
        const { name, percentage, inclusive } = rate;
        return { taxRateId, name, percentage, inclusive };
      }),
    );
  }

  /**
   * Throws an error if one of the tax rate ids cannot be assigned. Throws NotFound if an id is not a tax rate of the
   * workspace. Throws InvalidRequest for `field` if a tax rate is archived or occurs twice. The tax rate ids in `present` were assigned before, so they stay valid.
   */
  async requireAssignable(
    workspaceId: string,
    taxRateIds: readonly string[],
    field: string,
    present: readonly string[] = [],
  ): Promise<void> {
    if (new Set(taxRateIds).size < taxRateIds.length)
      throw InvalidRequest.field(field, 'must not name a tax rate twice');
    for (const taxRateId of taxRateIds.filter((one) => !present.includes(one))) {
      const rate = await this.find(workspaceId, taxRateId);
      if (!rate) throw NotFound.of('tax rate', taxRateId);
      if (rate.archived)
        throw InvalidRequest.field(
          field,
          `must name tax rates of the workspace that are not archived, which "${taxRateId}" is not`,
        );
    }
  }

  private async find(workspaceId: string, taxRateId: string): Promise<TaxRateRecord | undefined> {
    return this.aggregates.load(taxRateDecider, aggregateId(workspaceId, taxRateId));
  }
}
