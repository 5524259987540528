import { Injectable } from '@nestjs/common';
import { WorkspaceNames, type UserMail, type UserMailQueue } from '#libs/contexts/identity';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { Queryable } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { MailQueue } from '../queue/mail-queue.js';
import { renderLetter } from '../templates/letter.js';
import { userLetter } from './user-letters.js';

/** Writes mail to users in the language, with the name and in the colour of the workspace, and puts it into the queue. */
@Injectable()
export class QueuedUserMails implements UserMailQueue {
  constructor(
    private readonly queue: MailQueue,
    private readonly workspaces: WorkspaceNames,
    private readonly settings: CurrentBillingSettings,
  ) {}

  async add(tx: Queryable, mail: UserMail, correlationId: string): Promise<void> {
    const { mailId: id, workspaceId, kind, about, to, expiresAt: usefulUntil } = mail;
    const { language, brandColor } = await this.settings.ofWorkspace(workspaceId);
    const frame = { language, brandColor, workspaceName: await this.workspaces.nameOf(workspaceId) };
    const content = { to, ...renderLetter(userLetter(mail, frame)) };
    const createdAt = systemClock.now();
    await this.queue.add(
      tx,
      { id, workspaceId, kind, about, content, createdAt, usefulUntil },
      correlationId,
    );
  }
}
