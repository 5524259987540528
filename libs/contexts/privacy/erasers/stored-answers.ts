import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { SETTINGS } from '#libs/kernel/app';
import { eraseAnswers } from '#libs/kernel/idempotency';
import { requireSecrets, type Settings } from '#libs/kernel/system';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';

/** Removes responses that are stored for idempotency keys, if they contain ids of the person or of the person's records. */
@Injectable()
export class StoredAnswersEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(
    private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async erase({ workspaceId, ids }: ErasedPerson): Promise<void> {
    await eraseAnswers(this.pool, requireSecrets(this.settings), workspaceId, ids);
  }
}
