import type { Access } from '#libs/manifest';

/** The sender of a request, after its credential was checked. */
export interface Principal extends Access {
  kind: 'user' | 'api_key';
  /** The id of the user or of the API key. */
  id: string;
  /** The workspace of the credential. All data of the request belongs to it. */
  workspaceId: string;
  /** The session of an access token. API keys have none. */
  sessionId?: string;
}
