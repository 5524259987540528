import { Injectable } from '@nestjs/common';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { BooksExportStore } from '../exports/books-export-store.js';
import { BooksVerificationStore } from '../verifications/books-verification-store.js';

/**
 * Removes the exports and verifications of the workspace of a customer whose personal data is erased. A file can have the customer's name,
 * and a difference can have a text of an invoice. A job that has not ended is removed too, and can be requested again.
 */
@Injectable()
export class BooksEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(
    private readonly exports: BooksExportStore,
    private readonly verifications: BooksVerificationStore,
  ) {}

  async erase({ workspaceId }: ErasedPerson): Promise<void> {
    await this.exports.removeOfWorkspace(workspaceId);
    await this.verifications.removeOfWorkspace(workspaceId);
  }
}
