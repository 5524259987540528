import type { Client, System, TestWorkspace } from './system.ts';

/** The roles of users and of API keys. */
export const ROLES = ['admin', 'finance', 'developer', 'ingest', 'viewer'] as const;
export type RoleName = (typeof ROLES)[number];

export const ADMIN: readonly RoleName[] = ['admin'];
/** Those who answer for money. */
export const FINANCE: readonly RoleName[] = ['admin', 'finance'];
/** Those who build an integration. */
export const DEVELOPERS: readonly RoleName[] = ['admin', 'developer'];
export const WRITERS: readonly RoleName[] = ['admin', 'finance', 'developer'];
export const READERS: readonly RoleName[] = ['admin', 'finance', 'developer', 'viewer'];
/** Those who may see who did what, and the books. */
export const ALL_BUT_VIEWERS: readonly RoleName[] = ['admin', 'finance', 'developer'];
/** Those who may send usage. */
export const SENDERS: readonly RoleName[] = ['admin', 'developer', 'ingest'];

/** Who may call some endpoints. */
export type Access =
  /** Everybody, also without a credential. The token of a link in the path or in the body may be one. */
  | { readonly who: 'anyone' }
  /** Customers, with a portal token. */
  | { readonly who: 'customers' }
  /** Every signed-in user. */
  | { readonly who: 'users' }
  /** Users and API keys of these roles. An API key that is restricted needs the right. */
  | {
      readonly right: string;
      readonly roles: readonly RoleName[];
      /** API keys may not. */
      readonly usersOnly?: true;
      /** API keys that are restricted may not, even with the right. */
      readonly wholeKeysOnly?: true;
    };

/** Things that a request can name, by the collection that they are in, or by a path. */
export type Ids = Readonly<Record<string, string>>;

/** How a user signs in. */
export interface Login {
  readonly email: string;
  readonly password: string;
}

/** Valid bodies, by method and path as the OpenAPI document has them. */
export type Bodies = Readonly<Record<string, () => object>>;

/** Query parameters with their values, by endpoint. */
export type NeededQueries = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A workspace in which a folder creates resources. It is a sandbox, and its clock stands. */
export interface ResourceSite {
  readonly workspace: TestWorkspace;
  /** Requests with the workspace's admin API key. */
  readonly http: Client;
  /** Requests with the user's access token. */
  readonly session: Client;
  /** What is there. */
  readonly ids: Ids;
  /** Posts a body, and answers the id of what it creates. Throws an Error with the answer if that is a refusal. */
  create(path: string, body: object, as?: Client): Promise<string>;
}

/**
 * What the tests that call every endpoint know of the endpoints of one folder of `apps/api`. The file `<folder>.test-endpoints.ts` exports it
 * by default, and is found by its name.
 */
export interface TestEndpoints {
  /**
   * Who may call each endpoint of the folder's controllers, by method and path. It repeats what docs/access.md promises, in the words of
   * the tests. It takes nothing from the code that it tests.
   */
  readonly access: readonly (Access & { readonly endpoints: readonly string[] })[];
  /**
   * A valid body with every field for each endpoint that takes one.
   *
   * @param ids what the bodies refer to
   * @param login a user that exists
   */
  readonly bodies?: (ids: Ids, login: Login) => Bodies;
  /** The query parameters that an endpoint cannot do without, with their values. */
  readonly neededQueries?: (ids: Ids) => NeededQueries;
  /**
   * Creates resources for the ids in paths, and answers these ids. `ids` has what `createOneOfEverything` creates first, and nothing of
   * other folders.
   */
  readonly resources?: (site: ResourceSite) => Promise<Ids>;
  /**
   * Creates more resources, so that lists have at least two entries. `lists.e2e.spec.ts` names the lists that need a longer history. `ids`
   * has the resources of all folders.
   */
  readonly more?: (site: ResourceSite & { readonly system: System }) => Promise<void>;
  /**
   * Path parameters whose values each workspace chooses by itself, or that every workspace has. The same value means something else in
   * another workspace. A token is a credential, and not an id.
   */
  readonly ownNames?: readonly string[];
}

/** Declares what the tests that call every endpoint know of a folder's endpoints. */
export function defineTestEndpoints(endpoints: TestEndpoints): TestEndpoints {
  return endpoints;
}

let count = 0;
/** Another number each time. */
export const uniqueNumber = (): number => ++count;
/** Another text each time, for what is taken once only. */
export const unique = (): string => `n${uniqueNumber()}`;

/** Where a folder creates resources. */
export function siteIn(workspace: TestWorkspace, ids: Ids): ResourceSite {
  const { http, session } = workspace;
  return {
    workspace,
    http,
    session,
    ids,
    async create(path, body, as = http) {
      const { status, text, body: created } = await as.post(path, body);
      if (status >= 300) throw new Error(`POST ${path} was answered with ${status}: ${text}`);
      return (created as { id: string }).id;
    },
  };
}
