import type { Instant } from '#libs/kernel/core';
import { systemClock, type Logger } from '#libs/kernel/system';
import type { SmtpOutcome, SmtpSender } from '../smtp/smtp-sender.js';
import type { MailCipher } from './mail-cipher.js';
import type { MailStore } from './mail-store.js';
import type { MailStatus, StoredMail } from './mail.js';
import { mailAttempts, endedMail } from './metrics.js';
import { nextMailAttempt } from './schedule.js';

/** An attempt that is still to come. */
export interface PendingAttempt {
  /** The number of attempts before it. */
  earlierAttempts: number;
  at: Instant;
}

/** Attempts to send mail. */
export class MailDeliverer {
  /** @param sender undefined if no mail server is set */
  constructor(
    private readonly store: MailStore,
    private readonly seal: MailCipher,
    private readonly sender: SmtpSender | undefined,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes the next attempt if it is due. Returns the attempt that is pending then: the following one, or the same one if it was not due.
   * Undefined if no attempt is left. If the process crashes after the server
   * took the mail and before that is recorded, the mail is sent again with the same Message-ID. Receivers then show it once.
   */
  async attempt(mailId: string): Promise<PendingAttempt | undefined> {
    const mail = await this.store.find(mailId);
    if (mail?.status !== 'pending') return undefined;
    const at = systemClock.now();
    if (mail.nextAttemptAt > at) return { earlierAttempts: mail.attempts, at: mail.nextAttemptAt };
    if (mail.usefulUntil <= at) return this.end(mail, at, 'failed', 'The mail could not be sent in time');
    if (!this.sender) {
      this.logger.info({ mail: mailId }, 'mail was not sent, since MAIL_URL is not set');
      return this.end(mail, at, 'withheld', 'MAIL_URL is not set');
    }
    const content = this.seal.decryptContent(mail.content);
    if (!content)
      return this.end(mail, at, 'failed', 'JWT_SECRET has changed, so it cannot be read any more');
    const messageId = await this.store.setMessageIdOnce(mailId, this.sender.newMessageId(mailId));
    const outcome = await this.sender.send({ ...content, messageId, date: mail.createdAt });
    return this.record(mail, outcome);
  }

  private async record(mail: StoredMail, outcome: SmtpOutcome): Promise<PendingAttempt | undefined> {
    // The delay counts from the end of the attempt. So a server that answers very late does not get the next attempt at once.
    const at = systemClock.now();
    const earlierAttempts = mail.attempts + 1;
    const next = outcome.kind === 'failed' ? nextMailAttempt(earlierAttempts, at) : undefined;
    const isLast = next === undefined || next >= mail.usefulUntil;
    const status = outcome.kind === 'accepted' ? 'sent' : isLast ? 'failed' : 'pending';
    const answer = this.seal.encryptAnswer(outcome.answer);
    await this.store.recordAttempt(mail.id, at, { status, answer, nextAttemptAt: isLast ? at : next });
    mailAttempts.inc({ outcome: outcome.kind });
    if (!isLast) return { earlierAttempts, at: next };
    endedMail.inc({ outcome: status });
    return undefined;
  }

  private async end(
    mail: StoredMail,
    at: Instant,
    status: Extract<MailStatus, 'failed' | 'withheld'>,
    reason: string,
  ): Promise<undefined> {
    await this.store.endWithoutAttempt(mail.id, at, status, this.seal.encryptAnswer(reason));
    endedMail.inc({ outcome: status });
  }
}
