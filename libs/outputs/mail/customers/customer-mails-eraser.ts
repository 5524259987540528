import { Injectable } from '@nestjs/common';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { MailStore } from '../queue/mail-store.js';

/** Removes the mail of a customer whose personal data is erased. Mail to the customer that still waits is not sent any more. */
@Injectable()
export class CustomerMailsEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(private readonly store: MailStore) {}

  async erase({ workspaceId, customerId }: ErasedPerson): Promise<void> {
    await this.store.removeOfCustomer(workspaceId, customerId);
  }
}
