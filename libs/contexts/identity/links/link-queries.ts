import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { RequestableLinkPurpose } from './link-request-cipher.js';
import { subjectOfLink } from './link-tokens.js';

/** Whom a link is for. */
export interface LinkedPerson {
  readonly workspaceId: string;
  /** Whether the address of the user was proved before. */
  readonly isAddressProved: boolean;
}

/** Finds whom a link is for. The page behind the link asks for this. */
@Injectable()
export class LinkQueries {
  constructor(private readonly pool: Pool) {}

  /**
   * Returns the user's workspace, and whether the user's address was proved. Undefined if the token of the link cannot be used. The look-up
   * does not use up the token.
   */
  async personOf(purpose: RequestableLinkPurpose, token: string): Promise<LinkedPerson | undefined> {
    const userId = await subjectOfLink(this.pool, purpose, token);
    if (userId === undefined) return undefined;
    const { rows } = await this.pool.query<LinkedPerson>(
      `SELECT workspace_id AS "workspaceId", address_proved_at IS NOT NULL AS "isAddressProved"
       FROM identity.users WHERE id = $1`,
      [userId],
    );
    return rows[0];
  }
}
