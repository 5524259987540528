import type { Ids } from './valid-bodies.js';
import type { Client } from './system.js';

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
}

interface OpenApiDocument {
  paths: Record<
    string,
    Record<string, { parameters?: { in: string; name: string }[]; requestBody?: object }>
  >;
}

/** Every endpoint of an OpenAPI document. A parameter is filled with the id of its collection, or with `unknown`. */
export function operationsOf(document: unknown, ids: Ids): Operation[] {
  return Object.entries((document as OpenApiDocument).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      route: `${method.toUpperCase()} ${path}`,
      method: method as keyof Client,
      path: path.replace(
        /([^/]+)\/\{[^}]+\}/g,
        (_, collection: string) => `${collection}/${ids[collection] ?? 'unknown'}`,
      ),
      query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      takesBody: requestBody !== undefined,
    })),
  );
}
