import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { foldCopiesOfLiveMeters, MeterStore } from '#libs/usage';
import { CustomerRecordFinder } from '../customer-record-finder.js';

const BATCH = 5_000;

/**
 * Removes the text properties of the person's usage events. Properties that metrics use to filter, group or compute are kept: see the SQL
 * function `usage.erase_properties`.
 */
@Injectable()
export class UsagePropertiesEraser implements PersonalDataEraser {
  readonly phase = 'before_key_erasure';

  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    private readonly records: CustomerRecordFinder,
  ) {}

  /** Removes the texts. Throws Unavailable while some usage of the person is not yet stored in the meters. */
  async erase({ workspaceId, customerId }: ErasedPerson): Promise<void> {
    await foldCopiesOfLiveMeters(this.pool, this.meters, { workspaceId, customerId });
    const sql = JSON.stringify(await this.records.sqlMetrics(workspaceId));
    for (let after: string | null = '0'; after !== null;) {
      const { rows }: { rows: { last: string | null }[] } = await this.pool.query(
        'SELECT usage.erase_properties($1, $2, $3, $4, $5) AS last',
        [workspaceId, customerId, sql, after, BATCH],
      );
      after = rows[0]!.last;
      if (after === '-1')
        throw new Unavailable(
          'meters_behind',
          'Usage of the person is still being metered; the erasure waits for it',
        );
    }
  }
}
