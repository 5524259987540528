import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { addSeconds, type Instant } from '#libs/kernel/core';
import { SETTINGS } from '#libs/kernel/app';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { systemClock, type Settings } from '#libs/kernel/system';
import type { Role } from '#libs/manifest';
import type { InvitationEvent } from '../invitations/events.js';
import { WorkspaceNames } from '../workspace-names.js';
import { authPageUrl } from './auth-page.js';
import {
  LinkRequestCipher,
  USER_MAIL_PROCESS_MANAGER,
  type LinkRequest,
  type RequestableLinkPurpose,
} from './link-request-cipher.js';
import { LinkTokens } from './link-tokens.js';
import { UserMailQueue } from './user-mail-queue.js';

interface MailInvitation {
  invitationId: string;
}

/** The number of seconds for which a link is valid: 10 minutes to sign in, an hour to choose a new password. */
const VALID_SECONDS: Record<RequestableLinkPurpose, number> = {
  'magic-link': 10 * 60,
  'reset-password': 60 * 60,
};
/** The maximum number of links of one purpose that a user gets in an hour. */
const LINKS_PER_HOUR = 5;

interface Tasks {
  'mail-invitation': MailInvitation;
  'mail-link': LinkRequest;
}

/** An invitation that nobody has accepted yet. */
interface InvitationToMail {
  email: string;
  role: Role;
  expiresAt: Instant;
  /** Null if no user invites: the invitation of the first admin of a live workspace can come from an API key. */
  inviterName: string | null;
}

/** Writes mail with links to users. A link and its mail are stored in one transaction. All times are from the machine's clock. */
@Injectable()
export class UserMailProcess extends ProcessManager<Tasks> {
  readonly name = USER_MAIL_PROCESS_MANAGER;

  constructor(
    private readonly pool: Pool,
    private readonly tokens: LinkTokens,
    private readonly mails: UserMailQueue,
    private readonly requests: LinkRequestCipher,
    private readonly workspaces: WorkspaceNames,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super({ now: () => Promise.resolve(systemClock.now()) });
  }

  override readonly react = reactByEventType<InvitationEvent, Tasks>({
    UserInvited: ({ data }) => [mailInvitation(data)],
    UserInvitationResent: ({ data }) => [mailInvitation(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'mail-invitation': (task, context) => this.mailInvitation(task, context),
    'mail-link': (task, context) => this.mailLink(task, context),
  };

  private async mailInvitation({ invitationId }: MailInvitation, context: CommandContext): Promise<void> {
    const { workspaceId, commandId, correlationId } = context;
    const workspaceName = await this.workspaces.nameOf(workspaceId);
    await inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<InvitationToMail>(
        `SELECT i.email, i.role, i.expires_at AS "expiresAt", u.name AS "inviterName"
         FROM identity.invitations i LEFT JOIN identity.users u ON u.id = i.invited_by
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
          kind: 'invitation',
          mailId: idFor(context, 'mail'),
          workspaceId,
          about: invitationId,
          to: { address: email },
          url: authPageUrl(this.settings, 'invitation', token),
          expiresAt,
          inviterName,
          workspaceName,
          role,
        },
        correlationId,
      );
    });
  }

  /**
   * Sends a link to the active user with the address. Sends nothing if no active user has the address, or if the user got too many links in
   * the last hour.
   */
  private async mailLink(request: LinkRequest, context: CommandContext): Promise<void> {
    const { purpose } = request;
    const email = this.requests.decryptEmail(request);
    const now = systemClock.now();
    await inTransaction(this.pool, async (tx) => {
      // The lock makes the requests of one user run one after the other, so that all of them are counted.
      const { rows } = await tx.query<LinkedUser>(
        `SELECT id, workspace_id AS "workspaceId", name FROM identity.users
         WHERE email = $1 AND status = 'active' FOR UPDATE`,
        [email ?? null],
      );
      const user = rows[0];
      if (!user || email === undefined) return;
      const { rows: earlier } = await tx.query<{ count: number }>(
        `SELECT count(*)::int FROM identity.link_tokens WHERE subject = $1 AND purpose = $2 AND created_at > $3`,
        [user.id, purpose, addSeconds(now, -3_600)],
      );
      if (earlier[0]!.count >= LINKS_PER_HOUR) return;
      const expiresAt = addSeconds(now, VALID_SECONDS[purpose]);
      const token = await this.tokens.add(tx, purpose, user.id, context.commandId, expiresAt);
      await this.mails.add(
        tx,
        {
          kind: purpose,
          mailId: idFor(context, 'mail'),
          workspaceId: user.workspaceId,
          about: user.id,
          to: { name: user.name, address: email },
          url: authPageUrl(this.settings, purpose, token),
          expiresAt,
        },
        context.correlationId,
      );
    });
  }
}

/** A user who asked for a link. */
interface LinkedUser {
  id: string;
  workspaceId: string;
  name: string;
}

function mailInvitation({ invitationId }: MailInvitation) {
  return { name: 'mail-invitation', payload: { invitationId }, clock: 'system' } as const;
}
