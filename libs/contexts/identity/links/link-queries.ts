import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { subjectOfLink, type LinkPurpose } from './link-tokens.js';

/** Tells whether a link can be used. The page behind the link asks for this. */
@Injectable()
export class LinkQueries {
  constructor(private readonly pool: Pool) {}

  /** Tells whether the token of a link can be used. The check does not use up the token. */
  async isUsable(purpose: LinkPurpose, token: string): Promise<boolean> {
    return (await subjectOfLink(this.pool, purpose, token)) !== undefined;
  }
}
