import type { Client } from './system.js';
import type { Ids } from './test-endpoints.js';

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
  /** Whether it is for customers, with a portal token. */
  readonly isOfPortal: boolean;
  /** Its path with one query parameter, and with valid values of those that it cannot do without. */
  pathWith(name: string, value: string): string;
}

interface OpenApiDocument {
  paths: Record<
    string,
    Record<string, { parameters?: { in: string; name: string }[]; requestBody?: object }>
  >;
}

/** The query parameters that an endpoint cannot do without. */
const neededQuery = (ids: Ids): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  'GET /v1/wallets/check': { customerId: ids['customers'] ?? 'unknown', creditType: 'ai-credits' },
  'GET /v1/portal/plan-change/preview': { planId: ids['otherPlans'] ?? 'unknown' },
});

/** The path with the query parameters that its endpoint cannot do without. */
export function withNeededQuery(route: string, path: string, ids: Ids): string {
  const needed = Object.entries(neededQuery(ids)[route] ?? {});
  return needed.length === 0 ? path : `${path}?${needed.map((one) => one.join('=')).join('&')}`;
}

/** Every endpoint of an OpenAPI document. A parameter is filled with the id of its collection, or with `unknown`. */
export function operationsOf(document: unknown, ids: Ids): Operation[] {
  return Object.entries((document as OpenApiDocument).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const route = `${method.toUpperCase()} ${path}`;
      const filled = path.replace(
        /([^/]+)\/\{[^}]+\}/g,
        (_, collection: string) => `${collection}/${ids[collection] ?? 'unknown'}`,
      );
      const needed = Object.entries(neededQuery(ids)[route] ?? {});
      return {
        route,
        method: method as keyof Client,
        path: filled,
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        takesBody: requestBody !== undefined,
        isOfPortal: /^\/v1\/portal\/(?!sessions)/.test(path),
        pathWith: (name: string, value: string) => {
          const others = needed.filter(([other]) => other !== name).map((one) => `&${one.join('=')}`);
          return `${filled}?${name}=${value}${others.join('')}`;
        },
      };
    }),
  );
}
