import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { systemClock } from '#libs/kernel/system';
import type { Role } from '#libs/manifest';
import { subjectOfLink } from '../links/link-tokens.js';
import { WorkspaceNames } from '../workspace-names.js';

/** The data that the page of an invitation shows. */
export interface InvitationPageData {
  workspaceId: string;
  email: string;
  role: Role;
  /** Null if the workspace has no name. */
  workspaceName: string | null;
}

/** Finds an invitation by the token of its link. */
@Injectable()
export class InvitationFinder {
  constructor(
    private readonly pool: Pool,
    private readonly workspaces: WorkspaceNames,
  ) {}

  /**
   * Returns the invitation that can be accepted with this token. Returns undefined if the token or its invitation is unknown, used or
   * expired. The look-up does not use up the token.
   */
  async findByToken(token: string): Promise<InvitationPageData | undefined> {
    const id = await subjectOfLink(this.pool, 'invitation', token);
    const { rows } = await this.pool.query<{ email: string; role: Role; workspaceId: string }>(
      `SELECT email, role, workspace_id AS "workspaceId" FROM identity.invitations
       WHERE id = $1 AND status = 'pending' AND expires_at > $2`,
      [id ?? null, systemClock.now()],
    );
    const [invitation] = rows;
    return (
      invitation && { ...invitation, workspaceName: await this.workspaces.nameOf(invitation.workspaceId) }
    );
  }
}
