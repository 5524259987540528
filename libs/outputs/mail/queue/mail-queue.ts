import type { Queryable } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import type { MailCipher } from './mail-cipher.js';
import type { MailStore } from './mail-store.js';
import type { NewMail } from './mail.js';
import { MAIL_PROCESS, sendMailTask } from './send-task.js';

/** Stores mail that is to be sent. */
export class MailQueue {
  constructor(
    private readonly store: MailStore,
    private readonly seal: MailCipher,
  ) {}

  /**
   * Stores mail and the task that sends it, in the transaction of `tx`. So the mail is sent if and only if the transaction commits. Adding
   * the same id again changes nothing.
   */
  async add(tx: Queryable, { content, ...mail }: NewMail, correlationId: string): Promise<void> {
    await this.store.add(tx, { ...mail, content: this.seal.encryptContent(content) });
    const origin = { eventId: mail.id, workspaceId: mail.workspaceId, correlationId };
    await addTasks(tx, MAIL_PROCESS, origin, [sendMailTask({ mailId: mail.id }, 0, mail.createdAt)]);
  }
}
