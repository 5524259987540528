import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool } from 'pg';
import { canonicalEmail } from '#libs/kernel/core';
import { inTransaction } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import { newUlid } from '#libs/kernel/system';
import {
  LinkRequestCipher,
  LINK_TASKS_WORKSPACE,
  USER_MAIL_PROCESS_MANAGER,
  type RequestableLinkPurpose,
} from './link-request-cipher.js';

/**
 * Requests a mail with a link. The handler stores a task and does nothing else. The response and its duration therefore do not reveal
 * whether the e-mail address belongs to a user.
 */
export class RequestLink extends Command<void> {
  constructor(
    readonly purpose: RequestableLinkPurpose,
    readonly email: string,
    readonly correlationId: string,
  ) {
    super();
  }
}

@CommandHandler(RequestLink)
export class RequestLinkHandler implements ICommandHandler<RequestLink> {
  constructor(
    private readonly pool: Pool,
    private readonly requests: LinkRequestCipher,
  ) {}

  async execute({ purpose, email, correlationId }: RequestLink): Promise<void> {
    const payload = this.requests.encryptRequest(purpose, canonicalEmail(email));
    const origin = { eventId: newUlid(), workspaceId: LINK_TASKS_WORKSPACE, correlationId };
    await inTransaction(this.pool, (tx) =>
      addTasks(tx, USER_MAIL_PROCESS_MANAGER, origin, [{ name: 'mail-link', payload, clock: 'system' }]),
    );
  }
}
