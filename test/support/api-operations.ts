import { endpointAccess, neededQueries } from './per-worker/endpoint-tables.ts';
import type { Client } from './system.js';
import type { Access, Ids } from './test-endpoints.js';

/** Who calls an endpoint: a customer with a portal token, a signed-in user if API keys may not call it, or an API key. */
export type CallerKind = 'customer' | 'user' | 'key';

/** One endpoint. */
export interface Operation {
  /** As the OpenAPI document has it: `POST /v1/customers`. */
  readonly route: string;
  readonly method: keyof Client;
  /** With an id for each of its parameters. */
  readonly path: string;
  /** The names of its query parameters. */
  readonly query: readonly string[];
  readonly takesBody: boolean;
  readonly caller: CallerKind;
  /** Its path with one query parameter, and with valid values of those that it cannot do without. */
  pathWith(name: string, value: string): string;
}

interface OpenApiDocument {
  paths: Record<
    string,
    Record<string, { parameters?: { in: string; name: string }[]; requestBody?: object }>
  >;
}

/** The path with the query parameters that its endpoint cannot do without. */
export function withNeededQuery(route: string, path: string, ids: Ids): string {
  const needed = Object.entries(neededQueries(ids)[route] ?? {});
  return needed.length === 0 ? path : `${path}?${needed.map((one) => one.join('=')).join('&')}`;
}

function callerFor(access: Access): CallerKind {
  if ('right' in access) return access.usersOnly ? 'user' : 'key';
  return ({ anyone: 'key', customers: 'customer', users: 'user' } as const)[access.who];
}

/**
 * Every endpoint of an OpenAPI document. A parameter is filled with the id of its collection, or with `unknown`.
 *
 * @throws Error if the test endpoints of no folder have an endpoint
 */
export function operationsOf(document: unknown, ids: Ids): Operation[] {
  const listed = endpointAccess();
  const queries = neededQueries(ids);
  return Object.entries((document as OpenApiDocument).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const route = `${method.toUpperCase()} ${path}`;
      const filled = path.replace(
        /([^/]+)\/\{[^}]+\}/g,
        (_, collection: string) => `${collection}/${ids[collection] ?? 'unknown'}`,
      );
      const needed = Object.entries(queries[route] ?? {});
      const access = listed.get(route);
      if (!access) throw new Error(`The test endpoints of no folder of apps/api have ${route}`);
      return {
        route,
        method: method as keyof Client,
        path: filled,
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        takesBody: requestBody !== undefined,
        caller: callerFor(access),
        pathWith: (name: string, value: string) => {
          const others = needed.filter(([other]) => other !== name).map((one) => `&${one.join('=')}`);
          return `${filled}?${name}=${value}${others.join('')}`;
        },
      };
    }),
  );
}
