import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { RequestableLinkPurpose } from './link-request-cipher.js';
import { subjectOfLink } from './link-tokens.js';

/** Finds the workspace of a link. The page behind the link asks for this. */
@Injectable()
export class LinkQueries {
  constructor(private readonly pool: Pool) {}

  /**
   * Returns the workspace of the user whom a link is for. Undefined if the token of the link cannot be used. The look-up does not use up
   * the token.
   */
  async workspaceOf(purpose: RequestableLinkPurpose, token: string): Promise<string | undefined> {
    const userId = await subjectOfLink(this.pool, purpose, token);
    if (userId === undefined) return undefined;
    const { rows } = await this.pool.query<{ workspaceId: string }>(
      'SELECT workspace_id AS "workspaceId" FROM identity.users WHERE id = $1',
      [userId],
    );
    return rows[0]?.workspaceId;
  }
}
