import type { Instant } from '#libs/kernel/core';
import type { TaskRequest } from '#libs/kernel/saga';

/** The name of the process manager that sends mail to users. */
export const MAIL_PROCESS_MANAGER = 'mail';
/**
 * The name of the process manager that sends mail to customers. Such mail comes in bulk, such as all invoices of a month. It has slots of
 * its own, so that mail to users, such as a link to choose a new password, does not wait for it.
 */
export const CUSTOMER_MAIL_SENDER = 'mail-to-customers';

/** The payload of a task that makes one attempt to send mail. */
export interface SendMailTask {
  mailId: string;
  /** The time at which an operator requested that the mail is sent again. Absent if no operator requested it. */
  retriedAt?: Instant;
}

/** Returns the task for one attempt to send mail. Each attempt has its own task, which is due by the machine's clock. */
export function sendMailTask(
  payload: SendMailTask,
  earlierAttempts: number,
  dueAt: Instant,
): TaskRequest<{ send: SendMailTask }> {
  const { mailId, retriedAt } = payload;
  const key = [mailId, earlierAttempts, ...(retriedAt === undefined ? [] : [retriedAt])].join(' ');
  return { name: 'send', key, payload, clock: 'system', dueAt };
}
