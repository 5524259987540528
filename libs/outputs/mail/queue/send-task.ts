import type { Instant } from '#libs/kernel/core';
import type { TaskRequest } from '#libs/kernel/saga';

/** The name of the process manager that sends. */
export const MAIL_PROCESS = 'mail';

/** Mail of which one attempt is to be made. */
export interface SendTask {
  mailId: string;
}

/** The task for the next attempt. Each attempt has its own, at its own time by the machine's clock. */
export function sendTask(
  payload: SendTask,
  earlierAttempts: number,
  dueAt: Instant,
): TaskRequest<{ send: SendTask }> {
  return { name: 'send', key: `${payload.mailId} ${earlierAttempts}`, payload, clock: 'system', dueAt };
}
