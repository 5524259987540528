import type { Instant } from '#libs/kernel/core';
import type { Access } from '#libs/manifest';

/** The sender of a request, after its credential was checked. */
export interface Principal extends Access {
  kind: 'user' | 'api_key';
  /** The id of the user or of the API key. */
  id: string;
  /** The workspace of the credential. All data of the request belongs to it. */
  workspaceId: string;
  /** The instant from which an API key is refused, by the machine's clock. Null or absent if the credential sets no limit to what it creates. */
  expiresAt?: Instant | null;
  /** The session of an access token. API keys have none. */
  sessionId?: string;
}

/** What a caller may grant: no permission that it lacks, and no key that outlives its own. */
export type Grantor = Pick<Principal, 'role' | 'permissions' | 'expiresAt'>;
