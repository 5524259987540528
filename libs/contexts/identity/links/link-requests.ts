import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { requireSetting, TextSeal, type Settings } from '#libs/kernel/system';

/** A link that somebody asks for by an e-mail address. */
export type RequestedPurpose = 'magic-link' | 'reset-password';

/** A request for a link, as its task keeps it. The address is encrypted, since it may be nobody's, and tasks are kept for a while. */
export interface LinkRequest {
  purpose: RequestedPurpose;
  sealedEmail: string;
}

/** The process manager that writes mail to users. */
export const USER_MAIL_PROCESS = 'user-mail';
/** Stands for a workspace in the tasks of requests. Only the task finds out whether the address has a user, and so a workspace. */
export const NO_WORKSPACE = 'addresses';

/** Encrypts the addresses in requests for links. */
@Injectable()
export class LinkRequests {
  private readonly seal: TextSeal;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.seal = new TextSeal(requireSetting(settings, 'jwtSecret'), 'countinghouse requests for links');
  }

  /** @param email a normalized address */
  of(purpose: RequestedPurpose, email: string): LinkRequest {
    return { purpose, sealedEmail: this.seal.seal(email) };
  }

  /** The address of a request; undefined if another JWT_SECRET encrypted it. */
  emailOf({ sealedEmail }: LinkRequest): string | undefined {
    return this.seal.open(sealedEmail);
  }
}
