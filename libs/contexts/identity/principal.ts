import type { Role } from '#libs/manifest';

/** Who a request comes from, once its credential has been checked. */
export interface Principal {
  kind: 'user' | 'api_key';
  /** Of the user or of the API key. */
  id: string;
  /** The workspace that the credential is for; everything that the request touches belongs to it. */
  workspaceId: string;
  role: Role;
  /** The session that an access token belongs to; API keys have none. */
  sessionId?: string;
}
