import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { removeCountersOfCustomer } from './counter-rows.js';

/**
 * Removes the counters of an erased customer, with the digests of their distinct values. The values can be personal data, such as mail
 * addresses, and whoever guesses a value can recognise its digest.
 */
@Injectable()
export class CountersEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(private readonly pool: Pool) {}

  async erase({ workspaceId, customerId }: ErasedPerson): Promise<void> {
    await removeCountersOfCustomer(this.pool, workspaceId, customerId);
  }
}
