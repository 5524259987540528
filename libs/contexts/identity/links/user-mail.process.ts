import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { Instant } from '#libs/kernel/core';
import { SETTINGS } from '#libs/kernel/app';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { ProcessManager, reactTo, type TaskHandlers } from '#libs/kernel/saga';
import { systemClock, type Settings } from '#libs/kernel/system';
import type { Role } from '#libs/manifest';
import type { InvitationEvent } from '../invitations/events.js';
import { WorkspaceNames } from '../workspace-names.js';
import { authPageUrl } from './auth-page.js';
import { LinkTokens } from './link-tokens.js';
import { UserMails } from './user-mails.js';

interface MailInvitation {
  invitationId: string;
}

interface Tasks {
  'mail-invitation': MailInvitation;
}

/** An invitation that is still to be accepted. */
interface OpenInvitation {
  email: string;
  role: Role;
  expiresAt: Instant;
  inviterName: string;
}

/** Writes mail with links to users. A link and its mail commit together. All times are the machine's. */
@Injectable()
export class UserMailProcess extends ProcessManager<Tasks> {
  readonly name = 'user-mail';

  constructor(
    private readonly pool: Pool,
    private readonly tokens: LinkTokens,
    private readonly mails: UserMails,
    private readonly workspaces: WorkspaceNames,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super({ now: () => Promise.resolve(systemClock.now()) });
  }

  override readonly react = reactTo<InvitationEvent, Tasks>({
    UserInvited: ({ data }) => [mailInvitation(data)],
    UserInvitationResent: ({ data }) => [mailInvitation(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'mail-invitation': (task, context) => this.mailInvitation(task, context),
  };

  private async mailInvitation({ invitationId }: MailInvitation, context: CommandContext): Promise<void> {
    const { workspaceId, commandId, correlationId } = context;
    const workspaceName = await this.workspaces.nameOf(workspaceId);
    await inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<OpenInvitation>(
        `SELECT i.email, i.role, i.expires_at AS "expiresAt", u.name AS "inviterName"
         FROM identity.invitations i JOIN identity.users u ON u.id = i.invited_by
         WHERE i.id = $1 AND i.status = 'pending' AND i.expires_at > $2 FOR SHARE OF i`,
        [invitationId, systemClock.now()],
      );
      const invitation = rows[0];
      if (!invitation) return;
      const { email, role, expiresAt, inviterName } = invitation;
      const token = await this.tokens.add(tx, 'invitation', invitationId, commandId, expiresAt);
      await this.mails.add(
        tx,
        {
          ...{ kind: 'invitation', mailId: idFor(context, 'mail'), workspaceId, about: invitationId },
          ...{ to: { address: email }, url: authPageUrl(this.settings, 'invitation', token) },
          ...{ expiresAt, inviterName, workspaceName, role },
        },
        correlationId,
      );
    });
  }
}

function mailInvitation({ invitationId }: MailInvitation) {
  return { name: 'mail-invitation', payload: { invitationId }, clock: 'system' } as const;
}
