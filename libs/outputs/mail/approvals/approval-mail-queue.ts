import { Injectable } from '@nestjs/common';
import type { ApprovalMail, ApprovalMails } from '#libs/contexts/approvals';
import type { Queryable } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { MailQueue } from '../queue/mail-queue.js';
import { renderLetter } from '../templates/letter.js';
import { approvalRequestLetter } from './approval-letter.js';

/** Writes mail about approval requests, and puts it into the queue. */
@Injectable()
export class ApprovalMailQueue implements ApprovalMails {
  constructor(private readonly queue: MailQueue) {}

  async add(tx: Queryable, mail: ApprovalMail, correlationId: string): Promise<void> {
    const { mailId: id, workspaceId, to, request, usefulUntil } = mail;
    await this.queue.add(
      tx,
      {
        id,
        workspaceId,
        kind: 'approval-request',
        about: request.requestId,
        content: { to, ...renderLetter(approvalRequestLetter(mail)) },
        createdAt: systemClock.now(),
        usefulUntil,
      },
      correlationId,
    );
  }
}
