import type { Queryable } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import type { MailCipher } from './mail-cipher.js';
import type { MailStore } from './mail-store.js';
import type { NewMail, StoredMail } from './mail.js';
import { CUSTOMER_MAIL_SENDER, MAIL_PROCESS_MANAGER, sendMailTask } from './send-task.js';

/** Stores mail that is to be sent. */
export class MailQueue {
  constructor(
    private readonly store: MailStore,
    private readonly seal: MailCipher,
  ) {}

  /**
   * Stores mail and the task that sends it, in the transaction of `tx`. The mail is therefore sent if and only if the transaction commits.
   * Adding mail with the same id again changes nothing. Mail with a reason in `withheldBecause` gets no task, so it is never sent.
   */
  async add(
    tx: Queryable,
    { content, withheldBecause: reason, ...mail }: NewMail,
    correlationId: string,
  ): Promise<void> {
    const withheld = reason === undefined ? null : this.seal.encryptAnswer(reason);
    await this.store.add(tx, { ...mail, content: this.seal.encryptContent(content), withheld });
    if (withheld !== null) return;
    const origin = { eventId: mail.id, workspaceId: mail.workspaceId, correlationId };
    await addTasks(tx, senderOf(mail.customerId ?? null), origin, [
      sendMailTask({ mailId: mail.id }, 0, mail.createdAt),
    ]);
  }

  /**
   * Adds a task in the transaction of `tx` that sends mail with the status `failed` or `unknown` again, or pending mail at once. Returns
   * false if the mail has another status, if `usefulUntil` has passed, or if the mail is due or being sent at this moment. The earlier attempts
   * still count. Mail that had all attempts of the schedule gets only one more attempt.
   */
  async retry(
    tx: Queryable,
    { id, workspaceId, customerId, attempts }: StoredMail,
    at: string,
  ): Promise<boolean> {
    if (!(await this.store.retry(tx, id, at))) return false;
    const origin = { eventId: id, workspaceId, correlationId: id };
    await addTasks(tx, senderOf(customerId), origin, [
      sendMailTask({ mailId: id, retriedAt: at }, attempts, at),
    ]);
    return true;
  }
}

/** Returns the name of the process manager that sends mail to a customer, or to a user if `customerId` is null. */
function senderOf(customerId: string | null): string {
  return customerId === null ? MAIL_PROCESS_MANAGER : CUSTOMER_MAIL_SENDER;
}
