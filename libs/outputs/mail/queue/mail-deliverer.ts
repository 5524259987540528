import type { Instant } from '#libs/kernel/core';
import { systemClock, type Logger } from '#libs/kernel/system';
import type { ObservedOutages } from '#libs/kernel/telemetry';
import type { AttachedFile, SmtpOutcome, SmtpSender } from '../smtp/smtp-sender.js';
import type { MailCipher } from './mail-cipher.js';
import type { MailStore } from './mail-store.js';
import type { AttachedDocument, MailContent, MailStatus, SendConditions, StoredMail } from './mail.js';
import { mailAttempts, endedMail } from './metrics.js';
import { nextMailAttempt } from './retry-schedule.js';

/** The mail server of MAIL_URL among all mail servers, which is the only one. */
const MAIL_SERVER = 'MAIL_URL';

/** The next attempt to send a mail. */
export interface PendingMailAttempt {
  /** The number of attempts before this attempt. */
  earlierAttempts: number;
  at: Instant;
}

/** Makes the files that are attached to mail. The queue does not store these files. */
export interface AttachmentMaker {
  /** Makes the files that are attached to mail of a workspace. Throws an error if one of the files cannot be made now. */
  makeFiles(workspaceId: string, attached: readonly AttachedDocument[]): Promise<AttachedFile[]>;
}

/** Checks whether the conditions of mail still hold. */
export interface SendConditionChecker {
  /** Returns the reason why mail must not be sent any more; null if all conditions of the mail hold. */
  findWithholdingReason(workspaceId: string, conditions: SendConditions): Promise<string | null>;
}

/** Attempts to send mail. */
export class MailDeliverer {
  /** @param sender the sender of mail; undefined if no mail server is set */
  constructor(
    private readonly store: MailStore,
    private readonly seal: MailCipher,
    private readonly sender: SmtpSender | undefined,
    private readonly attachments: AttachmentMaker,
    private readonly conditions: SendConditionChecker,
    private readonly logger: Logger,
    private readonly outages: ObservedOutages,
  ) {}

  /**
   * Makes the next attempt to send the mail, if the attempt is due. Returns the attempt that is pending afterwards: the following attempt,
   * or the same attempt if it was not due. Returns undefined if no attempt is left. An attempt stores `handedOverAt` before it sends the
   * end of the message to the mail server. If the process crashes between `handedOverAt` and the server's answer, the next call ends the
   * mail as `unknown` and sends nothing.
   *
   * @param at the time of the attempt, by the machine's clock
   */
  async attempt(mailId: string, at = systemClock.now()): Promise<PendingMailAttempt | undefined> {
    const mail = await this.store.find(mailId);
    if (mail?.status !== 'pending') return undefined;
    if (mail.handedOverAt !== null)
      return this.record(mail, mail.handedOverAt, {
        kind: 'unknown',
        answer: `The process stopped after it had handed over the message at ${mail.handedOverAt}, before the server answered`,
      });
    if (mail.nextAttemptAt > at) return { earlierAttempts: mail.attempts, at: mail.nextAttemptAt };
    if (mail.usefulUntil <= at) return this.end(mail, at, 'failed', 'The mail could not be sent in time');
    if (!this.sender) {
      this.logger.info({ mail: mailId }, 'mail was not sent, since MAIL_URL is not set');
      return this.end(mail, at, 'withheld', 'MAIL_URL is not set');
    }
    const content = this.seal.decryptContent(mail.content);
    if (!content)
      return this.end(mail, at, 'failed', 'JWT_SECRET has changed, so it cannot be read any more');
    const reason = await this.conditions.findWithholdingReason(mail.workspaceId, content);
    if (reason !== null) return this.end(mail, at, 'withheld', reason);
    const { outcome, handedOverAt } = await this.send(this.sender, mail, content);
    if (outcome.kind === 'withheld') return this.end(mail, systemClock.now(), 'withheld', outcome.answer);
    return this.record(mail, handedOverAt, outcome);
  }

  private async send(
    sender: SmtpSender,
    mail: StoredMail,
    { attachments = [], ...content }: MailContent,
  ): Promise<{
    outcome: SmtpOutcome | { kind: 'withheld'; answer: string };
    /** Null if the end of the message was not sent. */
    handedOverAt: Instant | null;
  }> {
    let files: AttachedFile[];
    try {
      files = await this.attachments.makeFiles(mail.workspaceId, attachments);
    } catch (error) {
      this.logger.warn({ mail: mail.id, error: (error as Error).message }, 'an attachment could not be made');
      const answer = `An attachment could not be made: ${(error as Error).message}`;
      return { outcome: { kind: 'failed', answer }, handedOverAt: null };
    }
    const messageId = await this.store.setMessageIdOnce(mail.id, sender.newMessageId(mail.id));
    let reason = null as string | null;
    let handedOverAt = null as Instant | null;
    const outcome = await sender.send({ ...content, messageId, date: mail.createdAt, files }, async () => {
      // The conditions are checked again, because they can change while the files are made and the server answers.
      reason = await this.conditions.findWithholdingReason(mail.workspaceId, content);
      if (reason !== null) return false;
      const at = systemClock.now();
      if (!(await this.store.markHandedOver(mail.id, mail.attempts, at))) return false;
      handedOverAt = at;
      return true;
    });
    return { outcome: reason === null ? outcome : { kind: 'withheld', answer: reason }, handedOverAt };
  }

  private async record(
    mail: StoredMail,
    handedOverAt: Instant | null,
    outcome: SmtpOutcome,
  ): Promise<PendingMailAttempt | undefined> {
    // The delay counts from the end of the attempt. So a server that answers very late does not get the next attempt at once.
    const at = systemClock.now();
    const earlierAttempts = mail.attempts + 1;
    const next = outcome.kind === 'failed' ? nextMailAttempt(earlierAttempts, at) : undefined;
    const isLast = next === undefined || next >= mail.usefulUntil;
    const status = isLast ? FINAL_STATUS[outcome.kind] : 'pending';
    const answer = this.seal.encryptAnswer(outcome.answer);
    const attempt = { earlierAttempts: mail.attempts, handedOverAt };
    const result = { status, answer, nextAttemptAt: isLast ? at : next };
    await this.store.recordAttempt(mail.id, attempt, at, result);
    this.noteServer(outcome, isLast ? undefined : next);
    mailAttempts.inc({ outcome: outcome.kind });
    if (!isLast) return { earlierAttempts, at: next };
    endedMail.inc({ outcome: status });
    return undefined;
  }

  /** Tells operators once if the mail server does not work, and once when it works again. */
  private noteServer({ serverWorks, answer }: SmtpOutcome, nextAttemptAt: Instant | undefined): void {
    if (serverWorks === true) this.outages.worked(MAIL_SERVER);
    if (serverWorks === false) this.outages.failed(MAIL_SERVER, { error: answer, nextAttemptAt });
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

/** The status of mail after its last attempt, by the outcome of that attempt. */
const FINAL_STATUS: Readonly<Record<SmtpOutcome['kind'], MailStatus>> = {
  accepted: 'sent',
  refused: 'failed',
  failed: 'failed',
  unknown: 'unknown',
};
