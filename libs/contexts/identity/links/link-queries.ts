import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { subjectOfLink, type LinkPurpose } from './link-tokens.js';

/** Tells whether links can be used, for the pages that they open. */
@Injectable()
export class LinkQueries {
  constructor(private readonly pool: Pool) {}

  /** Tells whether the token of a link can be used. The token can still be used afterwards. */
  async isUsable(purpose: LinkPurpose, token: string): Promise<boolean> {
    return (await subjectOfLink(this.pool, purpose, token)) !== undefined;
  }
}
