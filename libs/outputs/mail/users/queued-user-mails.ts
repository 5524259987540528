import { Injectable } from '@nestjs/common';
import type { UserMail, UserMailQueue } from '#libs/contexts/identity';
import type { Queryable } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { MailQueue } from '../queue/mail-queue.js';
import { renderLetter } from '../templates/letter.js';
import { userLetter } from './user-letters.js';

/** Writes mail to users, and puts it into the queue. */
@Injectable()
export class QueuedUserMails implements UserMailQueue {
  constructor(private readonly queue: MailQueue) {}

  async add(tx: Queryable, mail: UserMail, correlationId: string): Promise<void> {
    const { mailId: id, workspaceId, kind, about, to, expiresAt: usefulUntil } = mail;
    const content = { to, ...renderLetter(userLetter(mail)) };
    const createdAt = systemClock.now();
    await this.queue.add(
      tx,
      { id, workspaceId, kind, about, content, createdAt, usefulUntil },
      correlationId,
    );
  }
}
