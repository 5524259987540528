import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { requireSecrets, TextCipher, type Settings } from '#libs/kernel/system';

/** The purpose of a link that a person can request for an e-mail address. */
export type RequestableLinkPurpose = 'magic-link' | 'reset-password';

/**
 * The payload of a task that sends a link. The e-mail address is encrypted, because tasks are kept for a while and the address may belong
 * to no user.
 */
export interface LinkRequest {
  purpose: RequestableLinkPurpose;
  /** The encrypted e-mail address. */
  sealedEmail: string;
}

/** The name of the process manager that writes mail to users. */
export const USER_MAIL_PROCESS_MANAGER = 'user-mail';
/**
 * The placeholder for the workspace in the tasks that send links. When a task is stored, it is not known yet whether the e-mail address
 * belongs to a user of a workspace.
 */
export const LINK_TASKS_WORKSPACE = 'addresses';

/** Encrypts the addresses in requests for links. */
@Injectable()
export class LinkRequestCipher {
  private readonly seal: TextCipher;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.seal = new TextCipher(requireSecrets(settings), 'countinghouse requests for links');
  }

  /** @param email a normalized address */
  encryptRequest(purpose: RequestableLinkPurpose, email: string): LinkRequest {
    return { purpose, sealedEmail: this.seal.encrypt(email) };
  }

  /** Decrypts the address of a request. Returns undefined if the address was encrypted with another JWT_SECRET. */
  decryptEmail({ sealedEmail }: LinkRequest): string | undefined {
    return this.seal.decrypt(sealedEmail);
  }
}
