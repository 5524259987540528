import { Injectable } from '@nestjs/common';
import { laterOf } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import {
  ProcessManager,
  type Task,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { MailDeliverer } from './queue/mail-deliverer.js';
import {
  CUSTOMER_MAIL_SENDER,
  MAIL_PROCESS_MANAGER,
  sendMailTask,
  type SendMailTask,
} from './queue/send-task.js';

interface Tasks {
  send: SendMailTask;
}

/**
 * Sends mail to users. Each attempt to send mail is a task. The task is due by the machine's clock, since mail servers do not know the clock of a
 * sandbox. Mail tasks do not follow from events: the code that writes mail adds the task.
 */
@Injectable()
export class MailProcess extends ProcessManager<Tasks> {
  readonly name: string = MAIL_PROCESS_MANAGER;
  /** The maximum number of connections of one saga process to the mail server at a time. */
  override readonly slots = 8;

  constructor(private readonly deliverer: MailDeliverer) {
    super({ now: () => Promise.resolve(systemClock.now()) });
  }

  override react(): TaskRequest<Tasks>[] {
    return [];
  }

  protected override readonly tasks: TaskHandlers<Tasks> = {
    send: (payload, _, task) => this.send(payload, task),
  };

  private async send(payload: SendMailTask, { dueAt }: Task): Promise<TaskResult> {
    // The database decides that the task is due, and its clock can be ahead of this machine's clock. If the attempt were not due, it would
    // request this same task again, which is not stored twice.
    const at = laterOf(systemClock.now(), dueAt);
    const next = await this.deliverer.attempt(payload.mailId, at);
    return next ? { tasks: [sendMailTask(payload, next.earlierAttempts, next.at)] } : {};
  }
}

/** Sends mail to customers, in slots of its own. */
@Injectable()
export class CustomerMailSender extends MailProcess {
  override readonly name = CUSTOMER_MAIL_SENDER;
}
