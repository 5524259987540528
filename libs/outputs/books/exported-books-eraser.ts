import { Injectable } from '@nestjs/common';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { BooksExportStore } from './books-export-store.js';

/**
 * Removes the exported books of the workspace of a customer whose personal data is erased, because they can have the customer's name. An
 * export that is being made is removed too, and can be requested again.
 */
@Injectable()
export class ExportedBooksEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(private readonly store: BooksExportStore) {}

  async erase({ workspaceId }: ErasedPerson): Promise<void> {
    await this.store.removeOfWorkspace(workspaceId);
  }
}
